//! Sentinels.

use std::time::Duration;

use larder_servers::Sentinels;

fn start() -> Option<Sentinels> {
    Sentinels::start(Duration::from_secs(2))
}

#[test]
fn a_killed_master_is_replaced_and_comes_back_as_a_replica() {
    let Some(all) = start() else { return };
    let old = all.master();
    assert_eq!(old.port(), all.servers()[0].port());
    old.write(&["SET", "a", "1"], 2);
    old.kill();
    all.until_other_than(old.port());
    let new = all.master();
    assert_ne!(new.port(), old.port());
    assert_eq!(new.ask(&["GET", "a"]).unwrap(), ["1"]);
    old.start_empty();
    all.until_whole();
    assert_eq!(old.ask(&["GET", "a"]).unwrap(), ["1"]);
}

#[test]
fn a_failover_that_was_asked_for_leaves_all_running() {
    let Some(all) = start() else { return };
    let old = all.master().port();
    assert_eq!(all.switches(), 0);
    all.fail_over();
    assert_ne!(all.master().port(), old);
    assert_eq!(all.switches(), 1);
    all.until_whole();
    assert_eq!(all.url().matches("127.0.0.1:").count(), 3);
}
