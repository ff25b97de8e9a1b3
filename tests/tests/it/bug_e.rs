//! bug-E1 and E3: nothing is a result, and an error is none.

use std::time::Duration;

use larder::{Got, LoadErrorKind};
use larder_kit::{Step, Virtual};

use crate::shop::{FORMS, Form, Shop};

#[test]
fn bug_e1_a_cached_nothing_is_a_hit() {
    for form in FORMS {
        for (kept, loads) in [(true, 1), (false, 5)] {
            let time = Virtual::new();
            let shop = Shop::with(&time, |cache| cache.cache_absence(kept));
            shop.source.always(Step::absent());
            for _ in 0..5 {
                assert_eq!(time.block_on(shop.seek(form, "k")).unwrap(), None);
            }
            assert_eq!(shop.source.calls(), loads);
        }
    }
}

#[test]
fn bug_e1_a_key_never_loaded_is_no_cached_nothing() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        shop.source.then(Step::absent());
        time.block_on(async {
            assert_eq!(shop.seek(form, "k").await.unwrap(), None);
            assert_eq!(shop.cache.get("never").await, Got::Unknown);
            let found = shop.seek(form, "never").await.unwrap();
            assert_eq!(found.as_deref(), Some("value-for-never"));
        });
        assert_eq!(shop.source.calls(), 2);
    }
}

#[test]
fn bug_e1_a_cached_nothing_ends_sooner_and_gives_way_to_what_is_there_then() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        shop.source.then(Step::absent());
        time.block_on(shop.seek(form, "k")).unwrap();
        time.advance(Duration::from_secs(10));
        let found = time.block_on(shop.seek(form, "k")).unwrap();
        assert_eq!(found.as_deref(), Some("value-for-k"));
    }
}

#[test]
fn bug_e1_empty_values_are_values() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        shop.source.always(Step::value(""));
        for _ in 0..5 {
            let found = time.block_on(shop.seek(form, "k")).unwrap();
            assert_eq!(found.as_deref(), Some(""));
        }
        assert_eq!(shop.source.calls(), 1);
    }
}

#[test]
fn bug_e1_a_nothing_that_was_invalidated_is_loaded_again() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        shop.source.then(Step::absent());
        time.block_on(async {
            shop.seek(form, "k").await.unwrap();
            shop.cache.invalidate("k").await;
            assert!(shop.seek(form, "k").await.unwrap().is_some());
        });
    }
}

/// What fails in one way after another, by the kind of its error.
fn failures() -> [(Step, LoadErrorKind); 3] {
    [
        (Step::error("no line"), LoadErrorKind::Source),
        (Step::panic("index"), LoadErrorKind::Panicked),
        (Step::never(), LoadErrorKind::TimedOut),
    ]
}

fn fails(time: &Virtual, shop: &Shop, form: Form, step: Step, kind: LoadErrorKind) {
    shop.source.then(step);
    let error = time.block_on(shop.ask(form, "k")).unwrap_err();
    assert_eq!(error.kind(), kind);
}

#[test]
fn bug_e3_an_error_is_not_stored() {
    for form in FORMS {
        for (step, kind) in failures() {
            let time = Virtual::auto();
            let shop = Shop::new(&time);
            fails(&time, &shop, form, step, kind);
            assert_eq!(time.block_on(shop.cache.get("k")), Got::Unknown);
            assert_eq!(shop.cache.stats().entries, 0);
            assert_eq!(time.block_on(shop.ask(form, "k")).unwrap(), "value-for-k");
            assert_eq!(shop.source.calls(), 2);
        }
    }
}

#[test]
fn bug_e3_an_error_leaves_other_keys_and_what_was_put_meanwhile_alone() {
    for form in FORMS {
        for (step, kind) in failures() {
            let time = Virtual::auto();
            let shop = Shop::new(&time);
            time.block_on(shop.cache.put("other", "kept".to_owned()));
            shop.source.then(step.after(Duration::from_secs(1)));
            let failing = time.spawn(shop.ask(form, "k"));
            time.run_until_idle();
            time.block_on(shop.cache.put("k", "put".to_owned()));
            assert_eq!(time.block_on(failing).unwrap_err().kind(), kind);
            assert_eq!(time.block_on(shop.ask(form, "k")).unwrap(), "put");
            assert_eq!(time.block_on(shop.ask(form, "other")).unwrap(), "kept");
        }
    }
}

#[test]
fn bug_e3_an_expired_value_is_not_served_for_an_error_without_a_stale_window() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        time.block_on(shop.ask(form, "k")).unwrap();
        time.hand().advance(Duration::from_secs(300));
        fails(
            &time,
            &shop,
            form,
            Step::error("no line"),
            LoadErrorKind::Source,
        );
        assert_eq!(time.block_on(shop.ask(form, "k")).unwrap(), "value-for-k");
    }
}
