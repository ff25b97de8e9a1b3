//! Caches to whose entries other programs write, over real servers and in real time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use larder::{BuildError, Cache, Held, Larder, Redis};
use larder_core::far::{Bus, Space};
use larder_servers::{Sentinels, Server, until};
use smol::block_on;

use crate::connects::{connect, runtime};

/// Keys from here on are for marks.
const MARKS: u64 = 1_000_000;
pub(crate) const ENTRY: &str = "shop:names:5";
const BEAT: Duration = Duration::from_millis(100);
const HOUR: Duration = Duration::from_secs(3600);

/// A node with a cache to which others write, and one that is the larders' own.
pub(crate) struct Node {
    redis: Redis,
    pub(crate) names: Cache<u64, String>,
    pub(crate) own: Cache<u64, String>,
    pub(crate) source: Arc<AtomicU64>,
    marks: AtomicU64,
    _larder: Larder,
}

impl Node {
    /// A node to which the server tells, and whose first heartbeats have raised what they raise.
    fn start(url: &str) -> Self {
        let redis = Redis::over(Arc::new(connect(url)), runtime(), "shop");
        let node = Self::over(redis, Duration::from_secs(60)).unwrap();
        let space = Space::new("names".into(), 1, 7).with_foreign_writers();
        until("a server that tells", || {
            block_on(node.redis.number(&space)).ok()
        });
        until("a value that has seen some heartbeats", || {
            node.fetch(0);
            let near = block_on(node.names.explain(&0)).near;
            matches!(near, Held::Usable { age, .. } if age > 4 * BEAT).then_some(())
        });
        node
    }

    pub(crate) fn over(redis: Redis, blind: Duration) -> Result<Self, BuildError> {
        let larder = Larder::builder()
            .runtime(larder::Smol::global())
            .far(redis.clone())
            .heartbeat(BEAT)
            .blind_ttl(blind)
            .build()?;
        // A busy machine is no reason to do without the far tier.
        let cache = |name: &str| larder.cache(name).ttl(HOUR).far().far_deadline(HOUR);
        Ok(Self {
            names: cache("names").foreign_writers(true).build()?,
            own: cache("own").build()?,
            source: Arc::new(AtomicU64::new(1)),
            marks: AtomicU64::new(0),
            redis,
            _larder: larder,
        })
    }

    pub(crate) fn is_blind(&self) -> bool {
        block_on(self.names.explain(&5)).blind
    }

    /// What a call gives, and how it came about.
    pub(crate) fn fetch(&self, key: u64) -> (String, &'static str) {
        fetch(&self.names, key, &self.source)
    }

    /// What its source gives from now on.
    pub(crate) fn change(&self) -> String {
        (self.source.fetch_add(1, Ordering::SeqCst) + 1).to_string()
    }

    /// Holds the key near, and says what it is.
    pub(crate) fn holds(&self, key: u64) -> String {
        // With a short blind ttl it may be blind for a moment on a busy machine.
        until("a near value", || {
            let (value, how) = self.fetch(key);
            (how == "near").then_some(value)
        })
    }

    /// Waits until the server has told of all that was written before: it tells in order. A mark may
    /// go by unheard where a connection is just being made.
    fn hears_all(&self, server: &Server) {
        let mark = MARKS + self.marks.fetch_add(1, Ordering::SeqCst);
        let entry = format!("shop:names:{mark}");
        until("a mark", || {
            block_on(self.names.put(&mark, String::new()));
            server.ask(&["DEL", &entry]).unwrap();
            let near = |_: u32| block_on(self.names.explain(&mark)).near;
            let gone = |held| !matches!(held, Held::Usable { .. });
            (0..1000).map(near).any(gone).then_some(())
        });
    }
}

pub(crate) fn fetch(
    cache: &Cache<u64, String>,
    key: u64,
    source: &Arc<AtomicU64>,
) -> (String, &'static str) {
    let source = Arc::clone(source);
    let load = move || async move { source.load(Ordering::SeqCst).to_string() };
    let fetched = block_on(cache.fetch(&key, load)).unwrap();
    (fetched.value.to_string(), fetched.outcome.detail())
}

#[test]
fn i2_a_key_that_another_program_deletes_or_takes_is_let_go() {
    let Some(server) = Server::start() else {
        return;
    };
    let node = Node::start(&server.url());
    let deeds: [&[&str]; 7] = [
        &["DEL", ENTRY],
        &["UNLINK", ENTRY],
        &["SET", ENTRY, "of another program"],
        &["EXPIRE", ENTRY, "0"],
        &["RENAME", ENTRY, "elsewhere"],
        &["SETRANGE", ENTRY, "60", "more"],
        &["EVAL", "return redis.call('DEL', KEYS[1])", "1", ENTRY],
    ];
    for deed in deeds {
        node.holds(5);
        let new = node.change();
        server.ask(deed).unwrap();
        until("a new value", || (node.fetch(5).0 == new).then_some(()));
        assert_eq!(node.fetch(5), (new, "near"), "{deed:?}");
    }
    assert!(node.redis.counts().foreign > 0, "foreign bytes are nothing");
}

#[test]
fn i2_only_the_key_that_was_touched_is_let_go_and_only_in_its_cache() {
    let Some(server) = Server::start() else {
        return;
    };
    let node = Node::start(&server.url());
    node.holds(5);
    node.holds(6);
    fetch(&node.own, 5, &node.source);
    let new = node.change();
    for deed in [["DEL", ENTRY], ["DEL", "shop:own:5"], ["DEL", "shop:nam"]] {
        server.ask(&deed).unwrap();
    }
    node.hears_all(&server);
    assert_eq!(node.fetch(5), (new, "loaded"));
    assert_eq!(node.fetch(6), ("1".to_owned(), "near"));
    let own = fetch(&node.own, 5, &node.source);
    assert_eq!(own, ("1".to_owned(), "near"), "it did not ask");
}

/// The server tells of them as of any other.
#[test]
fn what_a_node_writes_itself_leaves_its_near_tier_alone() {
    let Some(server) = Server::start() else {
        return;
    };
    let node = Node::start(&server.url());
    let told = |count| {
        until("what the server tells", || {
            (node.redis.counts().own_writes == count).then_some(())
        });
    };
    // Of the value that its start has loaded: the token and the store.
    told(2);
    for key in 10..60 {
        assert_eq!(node.fetch(key).1, "loaded");
        let value = format!("put {key}");
        block_on(node.names.put(&key, value.clone()));
        // The same, and the put, which finds the token.
        told(2 + (key - 9) * 3);
        assert_eq!(node.fetch(key), (value, "near"), "{key}");
    }
    assert_eq!(node.redis.counts().touched, 0);
}

#[test]
fn what_another_node_loads_costs_a_far_read_and_no_load() {
    let Some(server) = Server::start() else {
        return;
    };
    let (one, two) = (Node::start(&server.url()), Node::start(&server.url()));
    one.holds(5);
    two.change();
    assert_eq!(two.fetch(5), ("1".to_owned(), "far"));
    one.hears_all(&server);
    assert_eq!(
        one.fetch(5),
        ("1".to_owned(), "near"),
        "to read is no write"
    );
    let put = block_on(one.names.put(&5, "put".to_owned()));
    assert_eq!(put, larder::Change::Done);
    two.hears_all(&server);
    assert_eq!(two.fetch(5), ("put".to_owned(), "far"));
    assert_eq!(two.fetch(5), ("put".to_owned(), "near"));
}

#[test]
fn i2_a_flush_is_a_clear() {
    let Some(server) = Server::start() else {
        return;
    };
    let node = Node::start(&server.url());
    for flush in ["FLUSHDB", "FLUSHALL"] {
        let old = node.holds(5);
        let new = node.change();
        server.ask(&[flush]).unwrap();
        until("a new value", || (node.fetch(5).0 == new).then_some(()));
        assert_ne!(old, new);
    }
}

#[test]
fn i2_what_is_deleted_while_nothing_is_heard_is_let_go_and_later_writes_are_told() {
    let Some(server) = Server::start() else {
        return;
    };
    let node = Node::start(&server.url());
    for _ in 0..5 {
        node.holds(5);
        let new = node.change();
        server.ask(&["CLIENT", "KILL", "TYPE", "pubsub"]).unwrap();
        server.ask(&["DEL", ENTRY]).unwrap();
        until("a new value", || (node.fetch(5).0 == new).then_some(()));
    }
    node.hears_all(&server);
}

#[test]
fn behind_sentinels_the_new_master_tells_as_the_old_one_did() {
    let Some(sentinels) = Sentinels::start(Duration::from_secs(1)) else {
        return;
    };
    let node = Node::start(&sentinels.url());
    for round in 0..2 {
        node.holds(5);
        let new = node.change();
        sentinels.master().ask(&["DEL", ENTRY]).unwrap();
        until("a new value", || (node.fetch(5).0 == new).then_some(()));
        if round == 0 {
            sentinels.fail_over();
            // The node has left the old master when the new one tells it.
            let master = sentinels.master();
            until("the new master's word", || {
                let before = node.redis.counts().touched;
                master.ask(&["SET", "shop:names:mark", "x"]).ok()?;
                (node.redis.counts().touched > before).then_some(())
            });
        }
    }
}

/// Deletes race with loads, refreshes of the far tier and puts of two nodes: none is left that
/// came from before the last.
#[test]
fn i2_nothing_old_is_left_at_rest_after_deletes_that_race_with_loads_and_puts() {
    let Some(server) = Server::start() else {
        return;
    };
    let (one, two) = (Node::start(&server.url()), Node::start(&server.url()));
    for round in 0..200 {
        let key = 100 + round % 3;
        let entry = format!("shop:names:{key}");
        std::thread::scope(|scope| {
            scope.spawn(|| one.fetch(key));
            scope.spawn(|| {
                if round % 5 == 0 {
                    let ticket = block_on(two.names.ticket(&key));
                    let value = two.source.load(Ordering::SeqCst).to_string();
                    block_on(two.names.put_with(ticket, value));
                } else {
                    two.fetch(key);
                }
            });
            one.change();
            two.change();
            server.ask(&["DEL", &entry]).unwrap();
        });
        let new = one.source.load(Ordering::SeqCst).to_string();
        for node in [&one, &two] {
            until("the last value", || {
                (node.fetch(key).0 == new).then_some(())
            });
        }
    }
}
