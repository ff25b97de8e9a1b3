//! The adapter over a master that sentinels watch.

use std::time::Duration;

use larder_tests::servers::Sentinels;

use crate::callers::Callers;

const DOWN_AFTER: Duration = Duration::from_millis(1000);

#[test]
fn a_killed_master_is_followed_to_its_successor() {
    let Some(sentinels) = Sentinels::start(DOWN_AFTER) else {
        return;
    };
    let callers = Callers::start(&sentinels.url());
    callers.stop_changing();
    callers.seen().is_fine();
    let began = callers.now();
    let master = sentinels.master();
    master.kill();
    callers.change_again();
    sentinels.until_other_than(master.port());
    let led = callers.since(began);
    callers.until_served();
    let seen = callers.seen();
    println!(
        "led after {led:?}, without far {:?}: {seen:#?}",
        seen.without()
    );
    seen.is_fine();
}
