//! Caches to whose entries others write: what the near tier lets go of, and when.

use larder_core::far::Sweep;
use larder_engine::{CacheBuilder, Change, Larder};
use larder_kit::{FarOperation, Fault, Virtual};

use super::rig::Pair;
use super::support::{beat, shelf};
use crate::support::{SECOND, Source, TTL};

fn pair() -> Pair {
    Pair::of(|cache| cache.far().foreign_writers(true))
}

impl Pair {
    /// Another program deletes all that is far, and nobody tells.
    fn delete(&self) -> u64 {
        self.time.block_on(self.shelf.purge("numbers")).unwrap();
        self.source.change()
    }

    /// The store tells of key 1.
    fn touch(&self) {
        self.one.bus.touch(larder_core::digest(b"1"));
    }

    fn others(&self, source: &Source) -> (u64, &'static str) {
        let call = source.fetch(&self.one.numbers, 1);
        let fetched = self.time.block_on(call).unwrap();
        (fetched.value, fetched.outcome.detail())
    }
}

#[test]
fn what_others_delete_is_let_go_once_the_store_tells() {
    let pair = pair();
    pair.fetch();
    let new = pair.delete();
    assert_eq!(pair.fetch(), 1, "nothing has told this node");
    pair.touch();
    assert_eq!(pair.fetch(), new);
    assert_eq!(pair.others(&pair.source), (new, "near"));
}

#[test]
fn a_load_that_runs_while_the_store_tells_is_not_kept() {
    let pair = pair();
    pair.source.gate.close();
    let call = pair.call();
    let new = pair.source.change();
    pair.touch();
    pair.source.gate.open();
    assert_eq!(pair.time.block_on(call), 1);
    pair.time.block_on(pair.shelf.purge("numbers")).unwrap();
    assert_eq!(pair.fetch(), new);
}

/// That the key has just ended, or that another node has made its token: a load reads its source
/// later than that.
#[test]
fn what_the_store_tells_before_the_source_is_read_costs_nothing() {
    let pair = pair();
    let gate = pair.one.slow.hold_after(FarOperation::Read);
    let call = pair.call();
    pair.touch();
    gate.open();
    assert_eq!(pair.time.block_on(call), 1);
    pair.source.change();
    assert_eq!(pair.others(&pair.source), (1, "near"));
    assert_eq!(pair.source.calls(), 1);
}

#[test]
fn what_the_store_tells_of_a_batch_before_its_source_is_read_costs_nothing() {
    let pair = pair();
    let gate = pair.one.slow.hold_after(FarOperation::Read);
    let numbers = pair.one.numbers.clone();
    let load =
        |keys: Vec<u64>| async move { keys.into_iter().map(|key| (key, key)).collect::<Vec<_>>() };
    let call = pair
        .time
        .spawn(async move { numbers.get_or_load_many(&[1, 2], load).await });
    pair.time.run_until_idle();
    pair.touch();
    gate.open();
    pair.time.block_on(call);
    assert_eq!(pair.others(&pair.source), (1, "near"));
    assert_eq!(pair.source.calls(), 0);
}

/// It is most likely told of the very store that it reads.
#[test]
fn what_the_store_tells_of_a_value_that_is_just_read_is_read_again_and_not_loaded() {
    let pair = pair();
    pair.fill_far();
    let (gate, calls) = (
        pair.one.slow.hold_after(FarOperation::Read),
        pair.source.calls(),
    );
    let call = pair.call();
    pair.touch();
    gate.open();
    assert_eq!(pair.time.block_on(call), 1);
    assert_eq!(pair.others(&pair.source), (1, "near"));
    assert_eq!(pair.source.calls(), calls, "nothing was loaded");
}

/// A delete of what the store does not hold finds nothing, and nobody tells of it.
#[test]
fn a_load_that_the_store_did_not_take_is_used_for_the_blind_ttl_only() {
    for foreign in [false, true] {
        let pair = match foreign {
            true => pair(),
            false => Pair::new(),
        };
        pair.one
            .failing
            .fail(FarOperation::StoreIf, Fault::NotSent, 1);
        pair.fetch();
        pair.source.change();
        pair.time.advance(SECOND * 4);
        assert_eq!(pair.others(&pair.source).1, "near");
        pair.time.advance(SECOND * 2);
        let (later, _) = pair.others(&pair.source);
        assert_eq!(later == 1, !foreign);
        pair.time.advance(SECOND * 6);
        assert_eq!(pair.others(&pair.source).1, "near", "it is stored now");
    }
}

#[test]
fn a_put_that_the_store_did_not_take_is_not_kept_near() {
    for foreign in [false, true] {
        let pair = match foreign {
            true => pair(),
            false => Pair::new(),
        };
        pair.one.failing.fail(FarOperation::PutIf, Fault::Late, 1);
        let put = pair.time.block_on(pair.one.numbers.put(&1, 7));
        assert_eq!(put, Change::Queued);
        assert_eq!(pair.held() == Some(7), !foreign);
    }
}

#[test]
fn it_needs_a_store_that_tells() {
    let time = Virtual::new();
    let refused = |cache: CacheBuilder<u64, u64>| {
        let cache = cache.ttl(TTL).foreign_writers(true);
        let error = cache.build().unwrap_err();
        assert_eq!(error.setting(), "foreign_writers");
        error.to_string()
    };
    let builder = || Larder::builder().runtime(time.clone());
    let near = builder().build().unwrap();
    let text = refused(near.cache("numbers"));
    assert!(text.contains("without a far tier"), "{text}");
    let store = shelf(&time);
    let plain = builder().far_unguarded(store.clone()).build().unwrap();
    let text = refused(plain.cache("numbers").far());
    assert!(text.contains("`Bus`"), "{text}");
    let deaf = larder_kit::Able::new(store.clone(), deaf(&store));
    let deaf = builder().far(deaf).build().unwrap();
    let text = refused(deaf.cache("numbers").far());
    assert!(text.contains("not what others write"), "{text}");
    let off = deaf
        .cache::<u64, u64>("others")
        .ttl(TTL)
        .far()
        .foreign_writers(false);
    assert!(off.build().is_ok());
    beat(&time);
}

/// The abilities of a store whose bus tells what larder changes alone.
fn deaf(store: &larder_memory::Shelf) -> larder_core::far::Abilities {
    use std::sync::{Arc, Weak};

    use larder_core::BoxFuture;
    use larder_core::far::{Abilities, Bus, Change, FarError, Sink, Space};

    struct Deaf(larder_memory::Shelf);

    impl Bus for Deaf {
        fn listen(&self, space: &Space, sink: Weak<dyn Sink>) {
            self.0.listen(space, sink);
        }

        fn number<'a>(&'a self, space: &'a Space) -> BoxFuture<'a, Result<u64, FarError>> {
            self.0.number(space)
        }

        fn publish<'a>(
            &'a self,
            space: &'a Space,
            change: Change,
        ) -> BoxFuture<'a, Result<(), FarError>> {
            self.0.publish(space, change)
        }
    }

    let guarded = Abilities::default().guarded(&Arc::new(store.clone()));
    guarded.bus(&Arc::new(Deaf(store.clone())))
}
