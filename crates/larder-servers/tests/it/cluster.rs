//! A cluster.

use std::time::Duration;

use larder_servers::{Cluster, until};

#[test]
fn its_masters_share_all_slots() {
    let Some(cluster) = Cluster::start_masters() else {
        return;
    };
    for key in ["a", "b", "c", "d", "{a}b"] {
        let node = cluster.node_of(cluster.slot(key));
        assert_eq!(node.ask(&["SET", key, "1"]).unwrap(), ["OK"]);
        let other = cluster
            .nodes()
            .iter()
            .find(|other| other.port() != node.port());
        let sent_on = other.unwrap().ask(&["GET", key]).unwrap();
        assert_eq!(
            sent_on,
            [format!(
                "-MOVED {} 127.0.0.1:{}",
                cluster.slot(key),
                node.port()
            )]
        );
    }
    let slots: Vec<_> = [0, 5460, 5461, 10921, 10922, 16383].into();
    let nodes: Vec<_> = slots
        .iter()
        .map(|slot| cluster.node_of(*slot).port())
        .collect();
    assert!(nodes[0] == nodes[1] && nodes[2] == nodes[3] && nodes[4] == nodes[5]);
}

#[test]
fn a_slot_moves_with_what_is_in_it() {
    let Some(cluster) = Cluster::start_masters() else {
        return;
    };
    let slot = cluster.slot("a");
    let from = cluster.node_of(slot).port();
    let to = cluster
        .nodes()
        .iter()
        .position(|node| node.port() != from)
        .unwrap();
    let old = cluster.node_of(slot);
    old.ask(&["SET", "a", "1"]).unwrap();
    let begun = cluster.begin_move(slot, to);
    assert!(old.ask(&["GET", "{a}none"]).unwrap()[0].starts_with("-ASK "));
    cluster.end_move(slot, begun, to);
    assert_eq!(cluster.node_of(slot).port(), cluster.nodes()[to].port());
    assert_eq!(cluster.nodes()[to].ask(&["GET", "a"]).unwrap(), ["1"]);
    assert!(old.ask(&["GET", "a"]).unwrap()[0].starts_with("-MOVED "));
}

#[test]
fn a_killed_master_is_replaced_by_its_replica() {
    let Some(cluster) = Cluster::start(Duration::from_secs(2)) else {
        return;
    };
    let slot = cluster.slot("a");
    let old = cluster.node_of(slot);
    old.write(&["SET", "a", "1"], 1);
    old.kill();
    let value = until("the replica's answer", || {
        cluster.node_of(slot).ask(&["GET", "a"]).ok()
    });
    assert_eq!(value, ["1"]);
    assert_ne!(cluster.node_of(slot).port(), old.port());
    old.start_empty();
    cluster.until_whole();
}

#[test]
fn a_replica_takes_over_while_all_run() {
    let Some(cluster) = Cluster::start(Duration::from_secs(2)) else {
        return;
    };
    let old = cluster.node_of(0).port();
    cluster.fail_over(0);
    assert_eq!(cluster.nodes()[0].port(), old);
    let new = until("another node", || {
        let new = cluster.node_of(0).port();
        (new != old).then_some(new)
    });
    assert_eq!(new, cluster.nodes()[3].port());
    cluster.until_whole();
}
