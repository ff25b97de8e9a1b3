//! The masters of a cluster, under virtual time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use larder_core::far::Certainty;
use larder_kit::Virtual;
use larder_redis::{ConnectErrorKind, Connection, MasterHealth, Reply, Request, State, Wire};

use crate::MS;
use crate::town::{Server, Town};

const URL: &str = "redis+cluster://nodes:1,nodes:2,nodes:3";

/// Keys, and who of three masters has their slots: 1584, 5781 and 15495.
const KEYS: [&str; 3] = ["3", "6", "a"];

struct Stage {
    connection: Arc<Connection>,
    time: Virtual,
    nodes: [Arc<Server>; 3],
}

/// All slots in three parts, at the ports 1 to 3.
fn slots() -> Reply {
    let part = |port: i64| {
        let (first, last) = (16384 * (port - 1) / 3, 16384 * port / 3 - 1);
        let at = vec![Reply::bytes("nodes"), Reply::Int(port)];
        Reply::Array(vec![Reply::Int(first), Reply::Int(last), Reply::Array(at)])
    };
    Reply::Array((1..=3).map(part).collect())
}

/// What a node says of its cluster, and else its port.
fn serves(port: u16) -> impl Fn(&str, &[Bytes]) -> Reply + Send + 'static {
    move |name, args| match (name, args.first().map(|arg| &arg[..])) {
        ("CLUSTER", Some(b"INFO")) => {
            Reply::bytes("cluster_state:ok\r\ncluster_current_epoch:3\r\n")
        }
        ("CLUSTER", _) => slots(),
        ("ASKING", _) => Reply::ok(),
        _ => Reply::Int(port.into()),
    }
}

/// As [`serves`], but for the answer to `GET`.
fn gets(
    port: u16,
    get: impl Fn() -> Reply + Send + 'static,
) -> impl Fn(&str, &[Bytes]) -> Reply + Send + 'static {
    let serves = serves(port);
    move |name, args| match name {
        "GET" => get(),
        _ => serves(name, args),
    }
}

impl Stage {
    fn new() -> Self {
        Self::prepared(|_| {})
    }

    fn prepared(prepare: impl FnOnce(&[Arc<Server>; 3])) -> Self {
        let (time, mut town) = (Virtual::new(), Town::default());
        let nodes = [1, 2, 3].map(|port| town.add(port, &time, serves(port)));
        prepare(&nodes);
        let connection = Arc::new(town.open(URL, &time));
        Self {
            connection,
            time,
            nodes,
        }
    }

    /// Whoever has the key; or why nobody answers.
    fn get(&self, key: &'static str) -> Result<Reply, Certainty> {
        let get = vec![Request::command("GET", vec![key.into()])];
        let replies = self.time.block_on(self.connection.send(get));
        let replies = replies.map_err(|error| error.certainty());
        replies.map(|mut replies| replies.remove(0))
    }

    fn generation(&self) -> u64 {
        match self.connection.health().state {
            State::Connected { generation, .. } => generation,
            other => panic!("{other:?}"),
        }
    }

    fn masters(&self) -> Vec<MasterHealth> {
        self.connection.health().masters
    }
}

#[test]
fn every_key_is_asked_for_at_its_master() {
    let stage = Stage::new();
    for (key, port) in KEYS.into_iter().zip(1..) {
        assert_eq!(stage.get(key), Ok(Reply::Int(port)));
    }
    let all = KEYS
        .map(|key| Request::command("GET", vec![key.into()]))
        .to_vec();
    let replies = stage.time.block_on(stage.connection.send(all)).unwrap();
    assert_eq!(replies, [1, 2, 3].map(Reply::Int));
}

#[test]
fn a_node_that_hangs_holds_up_the_next_for_a_part_of_the_attempt() {
    let stage = Stage::prepared(|nodes| nodes[0].door.close());
    // Half of a second for all three.
    stage.time.advance(166 * MS);
    assert_eq!(stage.nodes[1].dialled().len(), 0);
    stage.time.advance(MS);
    assert_eq!(stage.get(KEYS[1]), Err(Certainty::NotSent), "all are tried");
    // A quarter of a second for the connections to all.
    stage.time.advance(250 * MS);
    assert_eq!(stage.get(KEYS[1]), Ok(Reply::Int(2)));
    assert_eq!(stage.get(KEYS[0]), Err(Certainty::NotSent));
    stage.nodes[0].door.open();
    stage.time.run_until_idle();
    assert_eq!(stage.get(KEYS[0]), Ok(Reply::Int(1)));
}

#[test]
fn a_master_that_is_silent_costs_the_others_nothing() {
    let stage = Stage::new();
    stage.time.advance(Duration::from_secs(10));
    stage.nodes[1].answers.close();
    for _ in 0..100 {
        stage.time.advance(100 * MS);
        for key in [0, 2] {
            assert!(stage.get(KEYS[key]).is_ok());
        }
    }
    assert_eq!(stage.generation(), 1);
    assert!(stage.nodes[1].dialled().len() > 1, "it is dialled again");
    assert_eq!(
        stage.nodes[0].dialled().len(),
        2,
        "for the cluster and for itself"
    );
    stage.nodes[1].answers.open();
    stage.time.advance(Duration::from_secs(1));
    assert_eq!(stage.get(KEYS[1]), Ok(Reply::Int(2)));
}

#[test]
fn health_says_which_master_is_down() {
    let stage = Stage::new();
    let slots = || {
        stage
            .masters()
            .iter()
            .map(|one| one.slot)
            .collect::<Vec<_>>()
    };
    assert_eq!(slots(), [Some(0), Some(5461), Some(10922)]);
    stage.time.advance(Duration::from_secs(5));
    stage.nodes[1].down.open();
    stage.time.advance(400 * MS);
    let masters = stage.masters();
    assert_eq!(slots(), [Some(0), Some(5461), Some(10922)]);
    let names: Vec<_> = masters.iter().map(|one| one.state.name()).collect();
    assert_eq!(names, ["connected", "down", "connected"]);
    assert_eq!(masters[1].since, 400 * MS);
    let why = masters[1].reason.as_ref().map(|why| why.kind());
    assert_eq!(why, Some(ConnectErrorKind::Refused));
    assert_eq!(masters[0].reason, None);
    assert_eq!(stage.connection.health().state.name(), "connected");
    stage.nodes[1].down.close();
    stage.time.advance(Duration::from_secs(1));
    assert_eq!(stage.masters()[1].state.name(), "connected");
    assert_eq!(stage.get(KEYS[1]), Ok(Reply::Int(2)));
}

#[test]
fn large_answers_that_hold_up_all_masters_are_no_silence() {
    let stage = Stage::new();
    stage.time.advance(Duration::from_secs(10));
    for node in &stage.nodes {
        node.answers.close();
    }
    for _ in 0..100 {
        stage.time.advance(100 * MS);
        stage.nodes.iter().for_each(|node| node.goes_on());
    }
    assert_eq!(stage.generation(), 1, "ten seconds of one answer each");
    let dialled = stage.nodes.iter().map(|node| node.dialled().len());
    assert_eq!(dialled.sum::<usize>(), 4, "nobody is left");
    // They come no further.
    stage.time.advance(Duration::from_secs(3));
    assert_eq!(stage.get(KEYS[0]), Err(Certainty::NotSent));
}

#[test]
fn bug_g10_a_slot_that_has_gone_is_followed_and_all_slots_are_asked_for_once() {
    let stage = Stage::new();
    let moved = || Reply::error("MOVED", "1584 nodes:3");
    stage.nodes[0].says(gets(1, moved));
    let surveys = || {
        stage
            .nodes
            .iter()
            .map(|node| node.asked("CLUSTER"))
            .sum::<usize>()
    };
    let before = surveys();
    for _ in 0..10 {
        assert_eq!(stage.get(KEYS[0]), Ok(Reply::Int(3)));
    }
    stage.time.run_until_idle();
    assert_eq!(surveys() - before, 2, "one node, with its two questions");
    assert!(stage.nodes[0].asked("GET") < 10, "it is known by then");
}

#[test]
fn keys_on_their_way_are_waited_for_each_time_for_longer() {
    let stage = Stage::new();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    stage.nodes[0].says(gets(1, move || {
        match count.fetch_add(1, Ordering::Relaxed) {
            0..3 => Reply::error("TRYAGAIN", "Multiple keys request during rehashing of slot"),
            _ => Reply::bytes("five"),
        }
    }));
    let connection = stage.connection.clone();
    let waiting = stage.time.spawn(async move {
        let get = vec![Request::command("GET", vec![KEYS[0].into()])];
        connection.send(get).await
    });
    stage.time.run_until_idle();
    // From 5 to 10 ms, then up to 20, then up to 40.
    for (least, most, times) in [(4, 10, 2), (9, 20, 3), (19, 40, 4)] {
        let before = stage.time.now();
        let mut waited = Duration::ZERO;
        while asked.load(Ordering::Relaxed) < times && waited <= most * MS {
            stage.time.advance(MS);
            waited = stage.time.now().since(before);
        }
        assert!(least * MS <= waited && waited <= most * MS, "{waited:?}");
    }
    let replies = stage.time.block_on(waiting).unwrap();
    assert_eq!(replies, [Reply::bytes("five")]);
}

#[test]
fn a_cluster_that_is_gone_is_looked_for_where_it_was_until_it_is_back() {
    let stage = Stage::new();
    stage.time.advance(Duration::from_secs(10));
    for node in &stage.nodes {
        node.down.open();
    }
    stage.time.advance(Duration::from_secs(30));
    assert_eq!(stage.get(KEYS[0]), Err(Certainty::NotSent));
    let why = stage.connection.health().reason.unwrap();
    assert_eq!(why.kind(), ConnectErrorKind::Refused);
    for node in &stage.nodes {
        node.down.close();
    }
    stage.time.advance(Duration::from_secs(1));
    for (key, port) in KEYS.into_iter().zip(1..) {
        assert_eq!(stage.get(key), Ok(Reply::Int(port)));
    }
    assert_eq!(stage.generation(), 2);
}
