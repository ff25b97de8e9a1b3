//! The adapter over a cluster of several masters.

use std::time::Duration;

use larder_tests::servers::Cluster;

use crate::callers::Callers;

const NODE_TIMEOUT: Duration = Duration::from_millis(1000);

#[test]
fn a_killed_master_is_followed_to_its_replica() {
    let Some(cluster) = Cluster::start(NODE_TIMEOUT) else {
        return;
    };
    let callers = Callers::start(&cluster.url());
    callers.stop_changing();
    callers.seen().is_fine();
    let began = callers.now();
    cluster.nodes()[0].kill();
    callers.change_again();
    callers.until_served();
    let seen = callers.seen();
    println!(
        "healed after {:?}, without far {:?}: {seen:#?}",
        callers.since(began),
        seen.without()
    );
    seen.is_fine();
}
