//! What went wrong for others, between two nodes.

use std::time::Duration;

use larder_engine::{CacheBuilder, CallOptions, Got};
use larder_kit::{FarOperation, Fault};

use crate::far::rig::Pair;
use crate::support::Source;

/// A load that has lost its key to a later one comes back late, with a value or with an error: what
/// the later one holds of the key stays its own.
#[test]
fn bug_a13_one_who_no_longer_owns_a_key_takes_nothing_from_who_does() {
    for fails in [false, true] {
        let pair = Pair::new();
        let (early, later) = (Source::held(), Source::held());
        later.change();
        let first = {
            let (cache, source) = (pair.one.numbers.clone(), early.clone());
            pair.time.spawn(async move {
                let load = move || async move {
                    let value = source.read().await;
                    if fails {
                        Err("down".to_owned())
                    } else {
                        Ok(value)
                    }
                };
                cache.get_or_load(&1, load).await
            })
        };
        pair.time.run_until_idle();
        pair.time.block_on(pair.two.numbers.invalidate(&1));
        let second = pair.two.call(&pair.time, &later);
        pair.time.run_until_idle();
        assert_eq!((early.gate.waiting(), later.gate.waiting()), (1, 1));
        early.gate.open();
        assert_eq!(pair.time.block_on(first).is_err(), fails);
        let joins = pair.two.call(&pair.time, &later);
        pair.time.run_until_idle();
        later.gate.open();
        let both = (pair.time.block_on(second), pair.time.block_on(joins));
        assert_eq!((both, later.calls()), ((2, 2), 1), "fails {fails}");
        assert_eq!(pair.held(), Some(2), "its store was not refused");
        let stored = pair.two.failing.calls(FarOperation::StoreIf);
        assert_eq!(stored, 1);
    }
}

/// The far value has 300 ms left; the near tier would keep its values for minutes.
#[test]
fn fc52_bug_i5_near_drops_what_it_was_given_by_far_when_that_ends() {
    const LEFT: Duration = Duration::from_millis(300);
    for form in 0..4 {
        let pair = Pair::new();
        let (one, two) = (&pair.one.numbers, &pair.two.numbers);
        let source = pair.source.clone();
        let short = CallOptions::new().ttl(LEFT);
        let call = two.get_or_load_with(&1, short, move || source.read());
        pair.time.block_on(call).unwrap();
        let fails = || async { Err::<u64, _>("not asked for".to_owned()) };
        let none = |_| async { Vec::<(u64, u64)>::new() };
        let given = pair.time.block_on(async {
            match form {
                0 => one.get(&1).await.value(),
                1 => one.get_many(&[1]).await.remove(0).value(),
                2 => one.get_or_load(&1, fails).await.ok().map(Into::into),
                _ => one.get_or_load_many(&[1], none).await.remove(0).unwrap(),
            }
        });
        assert_eq!(given.as_deref(), Some(&1), "form {form}");
        pair.time.hand().advance(LEFT - Duration::from_millis(20));
        let near = one.stats().near;
        assert!(pair.held().is_some(), "form {form}");
        assert_eq!(one.stats().near, near + 1, "it is near");
        pair.time.hand().advance(Duration::from_millis(320));
        assert_eq!(pair.time.block_on(one.get(&1)), Got::Unknown);
    }
}

/// A burst that is more than the connection takes is no sign that there is nobody at its other end.
#[test]
fn bug_g8_a_store_that_has_too_much_to_do_is_not_left_alone() {
    let pair = Pair::of(CacheBuilder::far_only);
    pair.fill_far();
    let far = || pair.one.numbers.stats().far_tier.unwrap();
    let failing = &pair.one.failing;
    failing.fail(FarOperation::Read, Fault::Busy, 300);
    for _ in 0..300 {
        assert_eq!(pair.fetch(), 1);
        assert!(!far().down);
    }
    assert_eq!(failing.calls(FarOperation::Read), 300, "each was tried");
    let hits = pair.one.numbers.stats().far;
    assert_eq!(pair.fetch(), 1);
    assert_eq!(pair.one.numbers.stats().far, hits + 1, "as ever, at once");
    assert_eq!(far().failures, 300, "they are counted");
}
