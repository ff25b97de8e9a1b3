//! Cache-aside by several clients of a real server, and what others write into its channel.

use bytes::Bytes;
use larder::{Cache, CallOptions, Change, Got};
use larder_kit::{Gate, Spawned};
use larder_redis::{Reply, Request, Wire};

use crate::nodes::{Node, SECOND, Shared, TTL, says};

type Answer = Result<String, larder::LoadError>;

impl Shared {
    /// A call whose load waits at the gate and ends so.
    fn held_call(
        &self,
        node: &Node,
        gate: &Gate,
        ends: Result<&'static str, &'static str>,
    ) -> Spawned<Answer> {
        let (names, gate) = (node.names.clone(), gate.clone());
        let call = self.time.spawn(async move {
            let load = move || async move {
                gate.wait().await;
                ends.map(str::to_owned).map_err(str::to_owned)
            };
            names.get_or_load(&5, load).await
        });
        self.time.run_until_idle();
        call
    }

    fn bytes(&self, name: &'static str, args: Vec<Bytes>) -> Reply {
        let asked = self.wire.send(vec![Request::command(name, args)]);
        self.time.block_on(asked).unwrap().remove(0)
    }
}

#[test]
fn ru_a_delete_during_a_fill_leaves_nothing_on_the_server() {
    let Some(shared) = Shared::start() else {
        return;
    };
    let [one, two] = shared.two();
    for who in [&one, &two] {
        let gate = Gate::closed();
        let fill = shared.held_call(&one, &gate, Ok("old"));
        let deleted = shared.time.block_on(who.names.invalidate(&5));
        assert_eq!(deleted, Change::Done);
        gate.open();
        assert_eq!(shared.time.block_on(fill).unwrap(), "old");
        assert_eq!(shared.held(&one), Got::Unknown);
        assert_eq!(shared.held(&two), Got::Unknown);
        assert_eq!(shared.fetch(&one, "new"), says("new", "loaded"));
        assert_eq!(shared.fetch(&two, "newer"), says("new", "far"));
        shared.time.block_on(two.names.invalidate(&5));
    }
}

#[test]
fn ru_one_call_may_have_a_ttl_and_a_deadline_of_its_own() {
    let Some(shared) = Shared::start() else {
        return;
    };
    let [one, two] = shared.two();
    let short = CallOptions::new().ttl(SECOND * 5);
    let load = || async { "short".to_owned() };
    let call = one.names.get_or_load_with(&5, short, load);
    shared.time.block_on(call).unwrap();
    shared.time.advance(SECOND * 4);
    assert_eq!(shared.fetch(&two, "new"), says("short", "far"));
    shared.time.advance(SECOND);
    let tight = CallOptions::new().deadline(SECOND);
    let (names, hung) = (one.names.clone(), std::future::pending::<String>);
    let late = shared
        .time
        .spawn(async move { names.get_or_load_with(&5, tight, hung).await });
    shared.time.advance(SECOND);
    let late = shared.time.block_on(late).unwrap_err();
    assert_eq!(late.kind(), larder::LoadErrorKind::TimedOut);
    assert_eq!(shared.fetch(&two, "next"), says("next", "loaded"));
    shared.time.advance(TTL - SECOND * 2);
    assert_eq!(shared.fetch(&one, "later"), says("next", "far"));
}

/// The server's own bytes of the key stay those of the one that holds it, whatever the one does that
/// has lost it.
#[test]
fn bug_a13_one_who_has_lost_a_key_leaves_the_token_of_who_holds_it() {
    let Some(shared) = Shared::start() else {
        return;
    };
    let [one, two] = shared.two();
    for ends in [Ok("early"), Err("down")] {
        let (early, later) = (Gate::closed(), Gate::closed());
        let first = shared.held_call(&one, &early, ends);
        shared.time.block_on(two.names.invalidate(&5));
        let second = shared.held_call(&two, &later, Ok("late"));
        let lies = || shared.bytes("GET", vec!["shop:names:5".into()]);
        let token = lies();
        assert!(
            matches!(&token, Reply::Bytes(bytes) if bytes.len() >= 16),
            "{token:?}"
        );
        early.open();
        assert_eq!(shared.time.block_on(first).is_err(), ends.is_err());
        assert_eq!(lies(), token, "{ends:?}");
        later.open();
        assert_eq!(shared.time.block_on(second).unwrap(), "late");
        assert_eq!(shared.fetch(&one, "new"), says("late", "far"), "{ends:?}");
        shared.time.block_on(one.names.invalidate(&5));
    }
}

/// What is no message of this version is taken for one that was lost: its cache asks the server
/// again. No other cache hears of it, and the messages after it count as ever.
#[test]
fn bug_i4_foreign_and_broken_messages_harm_nobody() {
    let Some(shared) = Shared::start() else {
        return;
    };
    let [one, two] = shared.two();
    let prices = two.larder.cache("prices").ttl(TTL).far().build();
    let prices: Cache<u64, String> = prices.unwrap();
    shared.time.advance(SECOND * 2);
    let valid = [&[1_u8, b'k'][..], &[9; 16], b"7"].concat();
    let mut future = valid.clone();
    future[0] = 2;
    let mut unknown = valid.clone();
    unknown[1] = b'z';
    let wild = [
        Vec::new(),
        vec![b'x'; 1 << 20],
        vec![0xff; 300],
        b"{\"key\": 5}".to_vec(),
        valid[..17].to_vec(),
        [&valid[..18], b"99999999999999999999"].concat(),
        future,
        unknown,
        valid,
    ];
    for (number, bytes) in wild.into_iter().enumerate() {
        shared.time.block_on(prices.put(&5, "7".to_owned()));
        shared.fetch(&one, "old");
        shared.fetch(&two, "old");
        for channel in ["{shop:names}:messages", "{shop}:messages", "messages"] {
            let sent = vec![channel.into(), bytes.clone().into()];
            shared.bytes("PUBLISH", sent);
        }
        let (value, how) = shared.fetch(&two, "new");
        assert_eq!(value, "old", "{number}: nothing was changed");
        assert!(how == "near" || how == "far", "{number}: {how}");
        let near = prices.stats().near;
        shared.time.block_on(prices.get(&5));
        assert_eq!(prices.stats().near, near + 1, "{number}: another cache");
        shared.time.advance(SECOND * 2);
        shared.fetch(&two, "new");
        assert_eq!(shared.fetch(&two, "new"), says("old", "near"), "{number}");
        shared.time.block_on(one.names.invalidate(&5));
        assert_eq!(shared.fetch(&two, "new"), says("new", "loaded"), "{number}");
        shared.time.block_on(two.names.invalidate(&5));
    }
}
