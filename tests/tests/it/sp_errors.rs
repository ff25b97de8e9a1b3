//! SP18: Spring's exceptions, checked and unchecked.

use larder::{Got, LoadErrorKind};
use larder_kit::{Gate, KitError, Step, Virtual};

use crate::shop::{FORMS, Shop, Trouble};

fn own(error: &Trouble) -> Option<&KitError> {
    match error {
        Trouble::Source(own) => Some(own),
        Trouble::Cache(_) => None,
    }
}

#[test]
fn sp18_an_error_passes_unchanged_and_nothing_is_cached() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        for call in 1..4 {
            shop.source.then(Step::error(format!("no line {call}")));
            let error = time.block_on(shop.ask(form, "a")).unwrap_err();
            assert_eq!(own(&error), Some(&KitError::new(format!("no line {call}"))));
            assert_eq!(time.block_on(shop.cache.get("a")), Got::Unknown);
        }
        assert_eq!(time.block_on(shop.ask(form, "a")).unwrap(), "value-for-a");
        assert_eq!(shop.source.calls(), 4);
    }
}

#[test]
fn sp18_all_who_wait_for_one_load_get_its_error_unchanged() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        let gate = Gate::closed();
        shop.source.then(Step::error("no line").at(&gate));
        let calls = [(); 5].map(|()| time.spawn(shop.ask(form, "a")));
        time.run_until_idle();
        gate.open();
        for call in calls {
            let error = time.block_on(call).unwrap_err();
            assert_eq!(own(&error), Some(&KitError::new("no line")));
        }
        assert_eq!(shop.source.calls(), 1);
        assert_eq!(shop.cache.stats().entries, 0);
    }
}

#[test]
fn sp18_callers_with_errors_of_two_types_get_one_text_and_kind() {
    let time = Virtual::new();
    let shop = Shop::new(&time);
    let gate = Gate::closed();
    shop.source.then(Step::error("no line").at(&gate));
    let calls = FORMS.map(|form| time.spawn(shop.ask(form, "a")));
    time.run_until_idle();
    gate.open();
    for call in calls {
        let error = time.block_on(call).unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::Source);
        assert_eq!(error.to_string(), "no line");
    }
    assert_eq!(shop.source.calls(), 1);
}

#[test]
fn sp18_a_panic_is_a_typed_error_with_its_text_and_nothing_is_cached() {
    for form in FORMS {
        for waiters in [1, 5] {
            let time = Virtual::new();
            let shop = Shop::new(&time);
            let gate = Gate::closed();
            shop.source
                .then(Step::panic("index out of range").at(&gate));
            let spawn = |_| time.spawn(shop.ask(form, "a"));
            let calls: Vec<_> = (0..waiters).map(spawn).collect();
            time.run_until_idle();
            gate.open();
            for call in calls {
                let error = time.block_on(call).unwrap_err();
                assert_eq!(error.kind(), LoadErrorKind::Panicked);
                assert!(error.to_string().contains("index out of range"), "{error}");
            }
            assert_eq!(shop.cache.stats().entries, 0);
            assert_eq!(time.block_on(shop.ask(form, "a")).unwrap(), "value-for-a");
        }
    }
}

#[test]
fn sp18_an_error_of_an_evicting_function_passes_unchanged() {
    for how in crate::shop::EVICTS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        shop.source.then(Step::error("locked"));
        let error = time.block_on(shop.evict(how, "a")).unwrap_err();
        assert_eq!(error, KitError::new("locked"));
    }
}
