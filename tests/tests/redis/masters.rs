//! The adapter over a cluster of several masters.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use larder_core::far::{Bus, Guarded, Sweep};
use larder_redis::{Redis, Reply, Wire};
use larder_servers::{Cluster, Server, until};
use smol::block_on;

use crate::callers::{Callers, KEYS};
use crate::cluster::{Numbers, messages, operations};
use crate::connects::{ask, connect, open, runtime};
use crate::place::deals;
use crate::respond::{Respond, well};

const NODE_TIMEOUT: Duration = Duration::from_millis(1000);

/// The slot of the barriers of the callers' cache.
const BARRIERS: &str = "{larder:deals}";

fn redis(url: &str) -> Redis {
    let wire = connect(url);
    assert!(wire.is_cluster());
    Redis::over(Arc::new(wire), runtime(), "larder")
}

/// The number of the node that serves a slot.
fn number_of(cluster: &Cluster, slot: u16) -> usize {
    let port = cluster.node_of(slot).port();
    let number = cluster.nodes().iter().position(|node| node.port() == port);
    number.unwrap()
}

#[test]
fn every_operation_works_on_three_masters() {
    let Some(cluster) = Cluster::start_masters() else {
        return;
    };
    // One node is enough to be told of.
    let port = cluster.nodes()[2].port();
    let redis = redis(&format!("redis+cluster://127.0.0.1:{port}"));
    operations(&redis);
    assert!(block_on(redis.purge("deals")).unwrap() >= 5);
    for node in cluster.nodes() {
        assert_eq!(node.ask(&["DBSIZE"]).unwrap(), ["0"]);
    }
    messages(&redis);
}

#[test]
fn keys_on_their_way_are_found_where_they_are() {
    let Some(cluster) = Cluster::start_masters() else {
        return;
    };
    let wire = connect(&cluster.url());
    let ask = |words: &[&'static str]| until("an answer", || ask(&wire, words));
    let slot = cluster.slot("{a}");
    let set = ["SET", "{a}1", "one"];
    assert_eq!(ask(&set), Reply::ok());
    let to = (number_of(&cluster, slot) + 1) % 3;
    let from = cluster.begin_move(slot, to);
    // This one is there, that one is made where the slot goes.
    assert_eq!(ask(&["GET", "{a}1"]), Reply::bytes("one"));
    assert_eq!(ask(&["SET", "{a}2", "two"]), Reply::ok());
    assert_eq!(ask(&["GET", "{a}2"]), Reply::bytes("two"));
    // Both can be asked for together when both are there.
    let both = ask(&["MGET", "{a}1", "{a}2"]);
    assert!(
        matches!(&both, Reply::Error { code, .. } if code == "TRYAGAIN"),
        "{both:?}"
    );
    cluster.end_move(slot, from, to);
    let both = ask(&["MGET", "{a}1", "{a}2"]);
    let wanted = ["one", "two"].map(Reply::bytes).to_vec();
    assert_eq!(both, Reply::Array(wanted));
}

#[test]
fn bug_g10_a_redirection_in_a_circle_ends() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let port = Arc::new(AtomicUsize::new(0));
    let own = port.clone();
    let node = Respond::new(move |_, words| {
        let port = own.load(Ordering::SeqCst);
        Some(match (&words[0][..], words.get(1).map(String::as_str)) {
            ("CLUSTER", Some("INFO")) => b"$16\r\ncluster_state:ok\r\n".to_vec(),
            ("CLUSTER", _) => {
                format!("*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$0\r\n\r\n:{port}\r\n").into_bytes()
            }
            ("GET", _) => {
                counted.fetch_add(1, Ordering::SeqCst);
                format!("-MOVED 1 127.0.0.1:{port}\r\n").into_bytes()
            }
            ("ECHO", _) => {
                counted.fetch_add(1, Ordering::SeqCst);
                format!("-ASK 1 127.0.0.1:{port}\r\n").into_bytes()
            }
            ("ASKING", _) => b"+OK\r\n".to_vec(),
            _ => well(words),
        })
    });
    let url = node.url();
    let (_, text) = url.rsplit_once(':').unwrap();
    port.store(text.parse().unwrap(), Ordering::SeqCst);
    let wire = connect(&url.replace("redis://", "redis+cluster://"));
    for (words, code) in [(["GET", "1"], "MOVED"), (["ECHO", "1"], "ASK")] {
        asked.store(0, Ordering::SeqCst);
        let reply = ask(&wire, &words);
        assert!(matches!(&reply, Some(Reply::Error { code: said, .. }) if said == code));
        assert!((2..=5).contains(&asked.load(Ordering::SeqCst)), "{code}");
    }
}

#[test]
fn what_is_no_cluster_is_not_taken_for_one() {
    let Some(server) = Server::start() else {
        return;
    };
    let wire = open(&server.url().replace("redis://", "redis+cluster://"));
    until("a reason", || wire.health().reason.is_some().then_some(()));
    assert_eq!(ask(&wire, &["GET", "key"]), None);
}

#[test]
fn a_master_that_is_gone_costs_the_others_nothing() {
    let Some(cluster) = Cluster::start_masters() else {
        return;
    };
    for node in cluster.nodes() {
        let all = ["CONFIG", "SET", "cluster-require-full-coverage", "no"];
        node.ask(&all).unwrap();
    }
    let callers = Callers::start(&cluster.url());
    let barriers = number_of(&cluster, cluster.slot(BARRIERS));
    let gone = (barriers + 1) % 3;
    let lives: Vec<_> = (0..KEYS)
        .map(|key| number_of(&cluster, cluster.slot(&format!("larder:deals:{key}"))) != gone)
        .collect();
    assert!(lives.contains(&true) && lives.contains(&false));
    callers.seen();
    cluster.nodes()[gone].kill();
    callers.until_served_for(|key| lives[key]);
    callers.seen().is_fine();
    for _ in 0..10 {
        callers.until_served_for(|key| lives[key]);
    }
    let seen = callers.seen();
    println!("Cluster, master gone for good: {seen:?}");
    seen.is_fine();
    let cost = |(key, calls): (&usize, &u64)| if lives[*key] { *calls } else { 0 };
    let cost: u64 = seen.keys.iter().map(cost).sum();
    assert!(cost < seen.calls / 5, "{cost}: {seen:?}");
    cluster.nodes()[gone].start_again();
    callers.until_served();
    callers.seen().is_fine();
}

#[test]
fn a_killed_master_is_followed_to_its_replica() {
    let Some(cluster) = Cluster::start(NODE_TIMEOUT) else {
        return;
    };
    let callers = Callers::start(&cluster.url());
    let (master, replica) = (&cluster.nodes()[0], &cluster.nodes()[3]);
    callers.through("Cluster, master killed", master, &[replica], || {
        master.kill()
    });
}

#[test]
fn a_master_that_stood_still_while_it_was_replaced_is_left() {
    let Some(cluster) = Cluster::start(NODE_TIMEOUT) else {
        return;
    };
    let callers = Callers::start(&cluster.url());
    let at = number_of(&cluster, cluster.slot(BARRIERS));
    let (master, replica) = (&cluster.nodes()[at], &cluster.nodes()[at + 3]);
    callers.through("Cluster, master paused", master, &[replica], || {
        master.pause()
    });
    callers.stop_changing();
    callers.seen();
    master.go_on();
    callers.change_again();
    callers.until_served();
    callers.seen().is_fine();
}

#[test]
fn a_replica_that_takes_over_from_a_master_that_lives_is_followed() {
    let Some(cluster) = Cluster::start(NODE_TIMEOUT) else {
        return;
    };
    let callers = Callers::start(&cluster.url());
    let at = number_of(&cluster, cluster.slot(BARRIERS));
    let (master, replica) = (&cluster.nodes()[at], &cluster.nodes()[at + 3]);
    let fail_over = || cluster.fail_over(at);
    callers.through("Cluster, failover by hand", master, &[replica], fail_over);
}

#[test]
fn slots_that_move_under_load_are_followed() {
    let Some(cluster) = Cluster::start_masters() else {
        return;
    };
    let callers = Callers::start(&cluster.url());
    let slots = (0..KEYS).map(|key| cluster.slot(&format!("larder:deals:{key}")));
    let slots: Vec<_> = slots.chain([cluster.slot(BARRIERS)]).collect();
    let moves = || {
        for slot in &slots {
            cluster.move_slot(*slot, (number_of(&cluster, *slot) + 1) % 3);
        }
    };
    callers.through("Cluster, 33 slots moved", &cluster.nodes()[0], &[], moves);
}

#[test]
fn what_is_published_is_heard_from_another_node_when_one_is_gone() {
    let Some(cluster) = Cluster::start(NODE_TIMEOUT) else {
        return;
    };
    let redis = redis(&cluster.url());
    let numbers = Arc::new(Numbers::default());
    let weak: Weak<Numbers> = Arc::downgrade(&numbers);
    redis.listen(&deals(), weak);
    assert_eq!(numbers.wait(1), [0], "the subscription stands");
    let channel = format!("{BARRIERS}:messages");
    let hears = |node: &&Server| {
        let count = node.ask(&["PUBSUB", "NUMSUB", &channel]);
        count.is_ok_and(|count| count[1] == "1")
    };
    let node = cluster
        .nodes()
        .iter()
        .find(hears)
        .expect("a node that is listened to");
    node.kill();
    assert_eq!(numbers.wait(3), [0; 3], "lost, and there again");
    until("a change", || {
        block_on(redis.invalidate(&deals(), &[b"5"])).ok()
    });
    assert!(numbers.wait(4)[3] > 0);
}
