//! Cache-aside with a client at hand (rueidisaside).

use std::time::Duration;

use larder_core::LoadErrorKind;
use larder_engine::{CacheBuilder, CallOptions, Change as Done, Got};
use larder_kit::{FarOperation, Fault, Gate};

use crate::far::rig::Pair;
use crate::support::{INSTANT, SECOND, TTL};

#[test]
fn ru_what_one_client_fills_the_other_is_given() {
    let pair = Pair::new();
    assert_eq!(pair.fetch(), 1);
    pair.source.change();
    assert_eq!(pair.two.fetch(&pair.time, &pair.source), 1);
    assert_eq!(pair.source.calls(), 1);
}

#[test]
fn ru_a_delete_during_a_fill_leaves_nothing_of_it() {
    for own in [true, false] {
        let pair = Pair::new();
        pair.source.gate.close();
        let fill = pair.call();
        let new = pair.source.change();
        let who = if own { &pair.one } else { &pair.two };
        let deleted = pair.time.block_on(who.numbers.invalidate(&1));
        assert_eq!(deleted, Done::Done);
        pair.source.gate.open();
        assert_eq!(pair.time.block_on(fill), 1, "it was asked for before");
        let held = (pair.held(), pair.two.held(&pair.time));
        assert_eq!(held, (None, None), "own {own}");
        assert_eq!((pair.fetch(), pair.held()), (new, Some(new)));
    }
}

/// Of a caller that leaves while its value is written: it is written, or it is as if there had been
/// no call. The key is as any other.
#[test]
fn ru_a_caller_may_leave_while_its_value_is_written() {
    for (cancel, begun) in [(false, false), (false, true), (true, false), (true, true)] {
        let pair = Pair::new();
        let hold = if begun {
            pair.one.slow.hold_after(FarOperation::StoreIf)
        } else {
            pair.one.slow.hold_before(FarOperation::StoreIf)
        };
        let (cache, source) = (pair.one.numbers.clone(), pair.source.clone());
        let call = pair.time.spawn(async move {
            let options = CallOptions::new();
            let options = if cancel { options.cancel() } else { options };
            let load = move || source.read();
            cache.get_or_load_with(&1, options, load).await
        });
        pair.time.run_until_idle();
        assert_eq!(hold.waiting(), 1);
        call.cancel();
        pair.time.run_until_idle();
        hold.open();
        pair.one.slow.hurry();
        pair.time.run_until_idle();
        assert_eq!(pair.one.numbers.stats().running, 0);
        let kept = begun || !cancel;
        let held = pair.two.held(&pair.time);
        assert_eq!(held.is_some(), kept, "cancel {cancel}, begun {begun}");
        assert_eq!(pair.fetch(), 1);
    }
}

/// The one that fills loses its line to the store, or all that it knows.
#[test]
fn ru_a_holder_that_is_cut_off_holds_up_nobody() {
    for fault in [Fault::NotSent, Fault::Lost, Fault::Late] {
        let pair = Pair::new();
        pair.source.gate.close();
        let held = pair.call();
        pair.one.failing.die(fault);
        let other = pair.two.call(&pair.time, &pair.source);
        pair.source.gate.open();
        pair.time.advance(SECOND * 3);
        assert!(other.is_finished(), "{fault:?}");
        assert_eq!(pair.time.block_on(held), 1, "{fault:?}");
        assert_eq!(pair.two.held(&pair.time), Some(1), "{fault:?}");
    }
}

#[test]
fn ru_several_clients_of_a_cold_key_are_given_one_value_each() {
    let pair = Pair::new();
    pair.source.gate.close();
    let calls: Vec<_> = (0..20)
        .map(|at| {
            let node = if at % 2 == 0 { &pair.one } else { &pair.two };
            node.call(&pair.time, &pair.source)
        })
        .collect();
    pair.time.run_until_idle();
    pair.source.gate.open();
    pair.time.advance(SECOND * 3);
    for call in calls {
        assert!(call.is_finished());
        assert_eq!(pair.time.block_on(call), 1);
    }
    assert!(pair.source.calls() <= 2, "one for each client, at most");
}

#[test]
fn ru_one_call_may_have_a_ttl_of_its_own() {
    for (own, after) in [(SECOND * 5, TTL), (SECOND * 400, TTL)] {
        let pair = Pair::new();
        let (cache, source) = (&pair.one.numbers, pair.source.clone());
        let options = CallOptions::new().ttl(own);
        let call = cache.get_or_load_with(&1, options, move || source.read());
        pair.time.block_on(call).unwrap();
        pair.time
            .hand()
            .advance(own.min(after) - INSTANT * 10_000_000);
        let both = (pair.held(), pair.two.held(&pair.time));
        assert_eq!(both, (Some(1), Some(1)), "{own:?}");
        pair.time.advance(own);
        let both = (pair.held(), pair.two.held(&pair.time));
        assert_eq!(both, (None, None), "{own:?}");
    }
}

#[test]
fn ru_the_deadline_of_a_call_is_no_end_of_its_value() {
    let tight = Duration::from_millis(50);
    let pair = Pair::of(CacheBuilder::far);
    pair.source.gate.close();
    let call = |gate: &Gate| {
        let (cache, source, gate) = (pair.one.numbers.clone(), pair.source.clone(), gate.clone());
        pair.time.spawn(async move {
            let options = CallOptions::new().deadline(tight);
            let load = move || async move {
                gate.wait().await;
                source.read().await
            };
            cache.get_or_load_with(&1, options, load).await
        })
    };
    let late = call(&Gate::closed());
    pair.time.advance(tight);
    assert!(late.is_finished());
    let error = pair.time.block_on(late).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::TimedOut);
    assert_eq!(pair.time.block_on(pair.two.numbers.get(&1)), Got::Unknown);
    pair.source.gate.open();
    assert_eq!(pair.time.block_on(call(&Gate::opened())).unwrap(), 1);
    pair.time.advance(TTL - SECOND * 2);
    assert_eq!(
        pair.two.held(&pair.time),
        Some(1),
        "its time is the cache's"
    );
}
