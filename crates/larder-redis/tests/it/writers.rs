//! What the server tells of writes, and whose they were.

use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use bytes::Bytes;
use larder_core::far::{Bus, Guarded, Message, Part, Sink, Space, Stored, Want};
use larder_kit::Virtual;
use larder_redis::{Call, Ear, Redis, Reply, Request};

use crate::deals;
use crate::told::{Told, empty};

const ENTRY: &str = "larder:deals:5";

/// Writes down what it is told.
#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Heard {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Sink for Heard {
    fn receive(&self, message: Message) {
        self.0.lock().unwrap().push(message.number.to_string());
    }

    fn lost(&self) {
        self.0.lock().unwrap().push("lost".to_owned());
    }

    fn touched(&self, key: u64) {
        let five = key == larder_core::digest(b"5");
        let what = if five { "touched 5" } else { "touched" };
        self.0.lock().unwrap().push(what.to_owned());
    }
}

/// A cache to which others write, whose entry of key 5 lies in a server that is empty otherwise.
struct Watched {
    time: Virtual,
    wire: Arc<Told>,
    redis: Redis,
    deals: Space,
    lies: Arc<Mutex<Reply>>,
    ear: Arc<dyn Ear>,
    heard: Arc<Heard>,
}

impl Watched {
    fn new() -> Self {
        let lies = Arc::new(Mutex::new(Reply::Nil));
        let there = Arc::clone(&lies);
        let wire = Told::new(move |request: &Request| match request.call() {
            Call::Command { name: "SET", args } if args[0] == ENTRY => {
                *there.lock().unwrap() = Reply::Bytes(args[1].clone());
                Reply::ok()
            }
            Call::Command {
                name: "GETRANGE", ..
            } => there.lock().unwrap().clone(),
            // What stores finds another token.
            Call::Script { script, .. } if script.name() == "store" => Reply::Int(0),
            _ => empty(request),
        });
        let time = Virtual::new();
        let redis = Redis::over(wire.clone(), time.runtime(), "larder");
        let deals = deals().with_foreign_writers();
        let heard = Arc::new(Heard::default());
        let sink: Weak<Heard> = Arc::downgrade(&heard);
        redis.listen(&deals, sink);
        let (prefix, ear) = wire.tracking.lock().unwrap()[0].clone();
        assert_eq!(prefix, "larder:deals:");
        let ear = ear.upgrade().unwrap();
        Self {
            time,
            wire,
            redis,
            deals,
            lies,
            ear,
            heard,
        }
    }

    /// A load takes its ticket, and so makes the token.
    fn make(&self) {
        let read = self.redis.read(&self.deals, &[b"5"], &[], Want::Load);
        assert!(self.time.block_on(read).unwrap()[0].ticket.is_some());
        self.wire.names();
    }

    fn tell(&self, name: &'static str) -> Vec<String> {
        self.ear.message(name.into());
        self.time.run_until_idle();
        self.heard.take()
    }

    fn hears(&self) -> bool {
        self.time.block_on(self.redis.number(&self.deals)).is_ok()
    }
}

#[test]
fn nothing_is_tracked_where_nobody_else_writes() {
    let wire = Told::new(empty);
    let redis = crate::over(&wire);
    let sink = Arc::new(Heard::default());
    let ear: Weak<Heard> = Arc::downgrade(&sink);
    redis.listen(&deals(), ear);
    assert!(wire.tracking.lock().unwrap().is_empty());
}

#[test]
fn what_others_write_is_told_at_once_and_by_key() {
    let watched = Watched::new();
    assert_eq!(watched.tell(ENTRY), ["touched 5"]);
    assert_eq!(watched.tell("larder:deals:55"), ["touched"]);
    assert!(watched.wire.names().is_empty(), "nothing was looked at");
    assert_eq!(watched.redis.counts().touched, 2);
}

#[test]
fn what_this_node_writes_is_not_told_and_a_write_too_many_is() {
    let watched = Watched::new();
    watched.make();
    assert!(watched.tell(ENTRY).is_empty());
    assert_eq!(watched.wire.names(), [["GETRANGE"]]);
    assert_eq!(watched.redis.counts().own_writes, 1);
    assert_eq!(watched.tell(ENTRY), ["touched 5"]);
}

/// Where what is told is this node's write and another's in one, or another's came first.
#[test]
fn what_others_write_over_an_own_write_is_told() {
    let others = [
        Reply::Bytes(Bytes::new()),
        Reply::Bytes(Bytes::from_static(&[7; 16])),
        Reply::bytes("short"),
        Reply::error(
            "WRONGTYPE",
            "Operation against a key holding the wrong kind of value",
        ),
        Reply::error("LOADING", "Redis is loading the dataset in memory"),
        Reply::Int(1),
    ];
    for other in others {
        let watched = Watched::new();
        watched.make();
        *watched.lies.lock().unwrap() = other.clone();
        assert_eq!(watched.tell(ENTRY), ["touched 5"], "{other:?}");
    }
}

#[test]
fn an_own_write_that_was_none_is_not_waited_for() {
    let watched = Watched::new();
    watched.make();
    assert!(watched.tell(ENTRY).is_empty());
    let read = watched.redis.read(&watched.deals, &[b"5"], &[], Want::Load);
    let ticket = watched.time.block_on(read).unwrap()[0].ticket.clone();
    let ticket = ticket.unwrap();
    assert!(
        watched.tell(ENTRY).is_empty(),
        "it has made the token again"
    );
    let part = Part {
        bytes: Bytes::from_static(b"five"),
        tags: &[],
        ends: Duration::from_secs(60),
    };
    let store = watched.redis.store_if(&watched.deals, b"5", &ticket, part);
    let stored = watched.time.block_on(store).unwrap();
    assert_eq!(stored, Stored::Refused);
    assert_eq!(watched.tell(ENTRY), ["touched 5"]);
}

#[test]
fn a_heartbeat_is_good_only_while_the_server_tells() {
    let watched = Watched::new();
    assert!(!watched.hears(), "it has not been asked yet");
    watched.ear.ready();
    assert_eq!(
        watched.heard.take(),
        ["lost"],
        "what came before is not known"
    );
    assert!(watched.hears());
    watched.ear.lost();
    assert_eq!(watched.heard.take(), ["lost"]);
    assert!(!watched.hears());
    let deals = deals();
    let own = watched.redis.number(&deals);
    assert!(watched.time.block_on(own).is_ok());
}
