//! Nodes that share a real server: the engine's promises, in virtual time.

use std::sync::Arc;
use std::time::Duration;

use larder::{Cache, CacheBuilder, CallOptions, Change, Got, Larder, Loaded};
use larder_core::Runtime;
use larder_kit::Virtual;
use larder_redis::{Redis, Reply, Request, Wire};
use larder_tests::servers::Server;

use crate::still::Still;

pub(crate) const TTL: Duration = Duration::from_secs(60);
pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// A server, and the time that it and its nodes share.
pub(crate) struct Shared {
    pub(crate) time: Virtual,
    pub(crate) wire: Arc<Still>,
    _server: Server,
}

type Names = CacheBuilder<u64, String>;

pub(crate) struct Node {
    pub(crate) larder: Larder,
    pub(crate) names: Cache<u64, String>,
}

impl Shared {
    pub(crate) fn start() -> Option<Self> {
        let server = Server::start()?;
        let time = Virtual::new();
        let wire = Still::new(&server.socket_url(), time.clock());
        Some(Self {
            time,
            wire,
            _server: server,
        })
    }

    pub(crate) fn two(&self) -> [Node; 2] {
        [self.node(None), self.node(None)]
    }

    fn node(&self, schema: Option<u64>) -> Node {
        self.node_of(|names| match schema {
            Some(number) => names.schema(number),
            None => names,
        })
    }

    /// A node whose cache is as this says.
    pub(crate) fn node_of(&self, names: impl FnOnce(Names) -> Names) -> Node {
        let redis = Redis::over(self.wire.clone(), self.time.runtime(), "shop");
        let larder = Larder::builder()
            .runtime(self.time.clone())
            .far(redis)
            .build()
            .unwrap();
        let cache = larder.cache("names").ttl(TTL).absent_ttl(SECOND * 5).far();
        let names = names(cache).build().unwrap();
        // The first heartbeats: what was read before them may have missed a message.
        self.time.advance(SECOND * 2);
        Node { larder, names }
    }

    /// What a call of this load gives, and how it came about.
    pub(crate) fn fetch(&self, node: &Node, load: &'static str) -> (String, &'static str) {
        let load = move || async move { load.to_owned() };
        let fetched = self.time.block_on(node.names.fetch(&5, load)).unwrap();
        (fetched.value.to_string(), fetched.outcome.detail())
    }

    pub(crate) fn held(&self, node: &Node) -> Got<String> {
        self.time.block_on(node.names.get(&5))
    }

    fn ask(&self, name: &'static str, args: &[&'static str]) -> Reply {
        let args = args.iter().map(|arg| (*arg).into()).collect();
        let asked = self.wire.send(vec![Request::command(name, args)]);
        self.time.block_on(asked).unwrap().remove(0)
    }
}

pub(crate) fn says(value: &str, how: &'static str) -> (String, &'static str) {
    (value.to_owned(), how)
}

#[test]
fn fc50_sp65_what_one_node_loaded_is_far_for_another_and_near_after_that() {
    let Some(shared) = Shared::start() else {
        return;
    };
    let [one, two] = shared.two();
    assert_eq!(shared.held(&two), Got::Unknown);
    assert_eq!(shared.fetch(&one, "old"), says("old", "loaded"));
    assert_eq!(shared.fetch(&one, "new"), says("old", "near"));
    assert_eq!(shared.fetch(&two, "new"), says("old", "far"));
    assert_eq!(shared.fetch(&two, "new"), says("old", "near"));
}

#[test]
fn fc51_sp56_a_value_ends_for_all_when_its_time_is_over_and_a_new_one_has_its_own() {
    let Some(shared) = Shared::start() else {
        return;
    };
    let [one, two] = shared.two();
    shared.fetch(&one, "old");
    shared.time.advance(TTL - SECOND);
    assert_eq!(shared.fetch(&two, "new"), says("old", "far"));
    shared.time.advance(SECOND);
    assert_eq!(
        shared.fetch(&two, "new"),
        says("new", "loaded"),
        "near ends with far"
    );
    shared.time.advance(TTL - SECOND);
    assert_eq!(shared.fetch(&one, "newer"), says("new", "far"));
    let left = shared.ask("PTTL", &["shop:names:5"]);
    assert!(matches!(left, Reply::Int(1..=1000)), "{left:?}");
}

#[test]
fn sp56_a_value_in_the_place_of_another_has_its_whole_time_and_never_none() {
    let Some(shared) = Shared::start() else {
        return;
    };
    let [one, two] = shared.two();
    let left = || match shared.ask("PTTL", &["shop:names:5"]) {
        Reply::Int(millis) => Duration::from_millis(u64::try_from(millis).expect("an end")),
        other => panic!("{other:?}"),
    };
    shared.fetch(&one, "old");
    for deed in 0..2 {
        shared.time.advance(TTL / 2);
        assert!(left() <= TTL / 2, "{deed}");
        if deed == 0 {
            shared.time.block_on(two.names.put(&5, "put".to_owned()));
        } else {
            shared.time.block_on(two.names.invalidate(&5));
            assert_eq!(shared.fetch(&one, "again"), says("again", "loaded"));
        }
        let left = left();
        assert!(left > TTL - SECOND && left <= TTL, "{deed}: {left:?}");
    }
    let short = CallOptions::new().ttl(SECOND * 2);
    shared.time.block_on(one.names.invalidate(&5));
    let load = || async { "short".to_owned() };
    let call = one.names.get_or_load_with(&5, short, load);
    shared.time.block_on(call).unwrap();
    assert!(left() <= SECOND * 2);
}

#[test]
fn bug_i3_fc63_what_a_node_has_put_it_need_not_ask_for() {
    let Some(shared) = Shared::start() else {
        return;
    };
    let [one, two] = shared.two();
    for _ in 0..3 {
        shared.time.block_on(one.names.put(&5, "put".to_owned()));
        // What it has told comes back to it.
        shared.time.advance(Duration::from_millis(200));
        let before = one.names.stats();
        for _ in 0..10 {
            assert_eq!(shared.fetch(&one, "new"), says("put", "near"));
        }
        assert_eq!(one.names.stats().since(&before).near, 10);
        assert_eq!(shared.fetch(&two, "new"), says("put", "far"));
    }
}

#[test]
fn sp59_absence_is_far_too_with_a_time_of_its_own() {
    let Some(shared) = Shared::start() else {
        return;
    };
    let [one, two] = shared.two();
    let nothing = || async { None::<String> };
    shared.time.block_on(one.names.fetch(&5, nothing)).unwrap();
    assert_eq!(shared.held(&two), Got::KnownAbsent);
    shared.time.advance(SECOND * 6);
    assert_eq!(shared.held(&two), Got::Unknown);
}

/// What a node does, and whether the other must load after it.
type Deed = fn(&Shared, &Node);

const DEEDS: [(&str, Deed); 4] = [
    ("invalidate", |shared, node| {
        assert_eq!(
            shared.time.block_on(node.names.invalidate(&5)),
            Change::Done
        );
    }),
    ("clear", |shared, node| {
        assert_eq!(shared.time.block_on(node.names.clear()), Change::Done);
    }),
    ("tag", |shared, node| {
        assert_eq!(
            shared.time.block_on(node.names.invalidate_tag("tag")),
            Change::Done
        );
    }),
    ("expire", |shared, node| {
        assert_eq!(shared.time.block_on(node.names.expire(&5)), Change::Done);
    }),
];

#[test]
fn bug_b6_fc62_a_change_on_one_node_reaches_the_near_tier_of_the_other() {
    let Some(shared) = Shared::start() else {
        return;
    };
    let [one, two] = shared.two();
    for (name, deed) in DEEDS {
        for who in [&one, &two] {
            let tagged = || async { Loaded::new("old".to_owned()).tag("tag") };
            shared.time.block_on(one.names.fetch(&5, tagged)).unwrap();
            shared.fetch(&two, "old");
            assert_eq!(shared.fetch(&two, "new"), says("old", "near"), "{name}");
            deed(&shared, who);
            assert_eq!(shared.fetch(&one, "new"), says("new", "loaded"), "{name}");
            let second = shared.fetch(&two, "newer");
            assert_eq!(second, says("new", "far"), "{name}");
            shared.time.block_on(one.names.invalidate(&5));
        }
    }
}

#[test]
fn a_put_reaches_the_other_node_as_a_value() {
    let Some(shared) = Shared::start() else {
        return;
    };
    let [one, two] = shared.two();
    shared.fetch(&one, "old");
    shared.fetch(&two, "old");
    let put = shared.time.block_on(one.names.put(&5, "put".to_owned()));
    assert_eq!(put, Change::Done);
    assert_eq!(shared.fetch(&one, "new"), says("put", "near"));
    assert_eq!(shared.fetch(&two, "new"), says("put", "far"));
}

#[test]
fn two_versions_of_a_program_keep_their_values_and_share_every_change() {
    let Some(shared) = Shared::start() else {
        return;
    };
    let (old, new) = (shared.node(Some(1)), shared.node(Some(2)));
    assert_eq!(shared.fetch(&old, "of old"), says("of old", "loaded"));
    assert_eq!(shared.fetch(&new, "of new"), says("of new", "loaded"));
    for node in [&old, &new] {
        let mine = if std::ptr::eq(node, &old) {
            "of old"
        } else {
            "of new"
        };
        assert_eq!(shared.fetch(node, "again"), says(mine, "near"));
        let again = shared.node(Some(if mine == "of old" { 1 } else { 2 }));
        assert_eq!(shared.fetch(&again, "again"), says(mine, "far"));
    }
    shared.time.block_on(new.names.invalidate(&5));
    assert_eq!(shared.fetch(&old, "newer"), says("newer", "loaded"));
    assert_eq!(shared.fetch(&new, "newer"), says("newer", "loaded"));
}

#[test]
fn what_the_server_loses_is_invalidated_and_never_comes_back() {
    let Some(shared) = Shared::start() else {
        return;
    };
    let [one, two] = shared.two();
    let tokens: [&[&str]; 2] = [&["shop:names:5"], &["{shop:names}:clear"]];
    for lost in tokens {
        shared.fetch(&one, "old");
        assert_eq!(shared.ask("UNLINK", lost), Reply::Int(1));
        assert_eq!(shared.fetch(&two, "new"), says("new", "loaded"), "{lost:?}");
        let fresh = shared.node(None);
        assert_eq!(
            shared.fetch(&fresh, "newer"),
            says("new", "far"),
            "{lost:?}"
        );
        shared.time.block_on(one.names.invalidate(&5));
    }
    // The number too: it starts elsewhere, so that all who listen see a jump.
    shared.fetch(&one, "old");
    shared.ask("UNLINK", &["{shop:names}:number"]);
    shared.time.block_on(two.names.invalidate(&5));
    assert_eq!(shared.fetch(&one, "new"), says("new", "loaded"));
}
