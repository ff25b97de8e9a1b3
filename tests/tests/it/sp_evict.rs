//! SP6 to SP10: Spring's evicting functions.

use larder_kit::{Gate, Step, Virtual};

use crate::shop::{EVICTS, Evict, FORMS, Shop};

/// A shop that holds `a` and `b`.
fn filled(time: &Virtual) -> Shop {
    let shop = Shop::new(time);
    time.block_on(async {
        shop.cache.put("a", "old".to_owned()).await;
        shop.cache.put("b", "other".to_owned()).await;
    });
    shop
}

#[test]
fn sp6_after_an_evict_by_key_the_reloaded_value_differs() {
    for form in FORMS {
        for how in EVICTS {
            let time = Virtual::new();
            let shop = filled(&time);
            time.block_on(async {
                assert_eq!(shop.ask(form, "a").await.unwrap(), "old");
                shop.evict(how, "a").await.unwrap();
                shop.source.then(Step::value("new"));
                assert_eq!(shop.ask(form, "a").await.unwrap(), "new");
                assert_eq!(shop.ask(form, "a").await.unwrap(), "new");
            });
            assert_eq!(shop.source.calls_of("a"), 1);
        }
    }
}

#[test]
fn sp6_an_evict_of_a_key_that_is_not_there_harms_nothing() {
    for how in EVICTS {
        let time = Virtual::new();
        let shop = filled(&time);
        time.block_on(async {
            shop.evict(how, "unknown").await.unwrap();
            assert_eq!(shop.holds("a").await, !how.is_all());
        });
    }
}

#[test]
fn sp7_after_a_failing_call_nothing_is_evicted() {
    for how in EVICTS.into_iter().filter(|how| !how.is_early()) {
        let time = Virtual::new();
        let shop = filled(&time);
        shop.source.then(Step::error("locked"));
        time.block_on(async {
            let error = shop.evict(how, "a").await.unwrap_err();
            assert_eq!(error.to_string(), "locked");
            assert!(shop.holds("a").await && shop.holds("b").await, "{how:?}");
        });
        assert_eq!(
            shop.cache.stats().invalidations + shop.cache.stats().clears,
            0
        );
    }
}

#[test]
fn sp7_nor_after_a_call_that_was_dropped_half_way() {
    for how in EVICTS.into_iter().filter(|how| !how.is_early()) {
        let time = Virtual::new();
        let shop = filled(&time);
        let gate = Gate::closed();
        shop.source.always(Step::echo().at(&gate));
        let leaving = shop.clone();
        let call = time.spawn(async move { leaving.evict(how, "a").await });
        time.block_on(gate.arrived(1));
        call.cancel();
        gate.open();
        time.run_until_idle();
        assert!(time.block_on(shop.holds("a")), "{how:?}");
    }
}

#[test]
fn sp8_an_early_evict_happens_although_the_call_fails() {
    for how in EVICTS.into_iter().filter(|how| how.is_early()) {
        let time = Virtual::new();
        let shop = filled(&time);
        shop.source.then(Step::error("locked"));
        time.block_on(async {
            shop.evict(how, "a").await.unwrap_err();
            assert!(!shop.holds("a").await);
            assert_eq!(shop.holds("b").await, !how.is_all());
        });
    }
}

#[test]
fn sp8_an_early_evict_happens_before_the_body_and_a_late_one_after() {
    for how in EVICTS {
        let time = Virtual::new();
        let shop = filled(&time);
        let gate = Gate::closed();
        shop.source.always(Step::echo().at(&gate));
        let evicting = shop.clone();
        let call = time.spawn(async move { evicting.evict(how, "a").await });
        time.block_on(gate.arrived(1));
        assert_eq!(time.block_on(shop.holds("a")), !how.is_early(), "{how:?}");
        gate.open();
        time.block_on(call).unwrap();
        assert!(!time.block_on(shop.holds("a")));
    }
}

#[test]
fn sp9_evict_all_removes_all_late_and_early() {
    for how in [Evict::All, Evict::AllEarly] {
        let time = Virtual::new();
        let shop = filled(&time);
        time.block_on(async {
            for index in 0..100 {
                let key = format!("more {index}");
                shop.cache.put(&key, key.clone()).await;
            }
            shop.cache.put("absent", None::<String>).await;
            shop.evict(how, "a").await.unwrap();
            for form in FORMS {
                shop.source.then(Step::value("new"));
                assert_eq!(shop.ask(form, &format!("b{form:?}")).await.unwrap(), "new");
            }
            assert_eq!(shop.ask(FORMS[0], "b").await.unwrap(), "value-for-b");
            assert_eq!(
                shop.ask(FORMS[0], "absent").await.unwrap(),
                "value-for-absent"
            );
        });
    }
}

#[test]
fn sp9_evict_all_touches_no_other_cache() {
    let time = Virtual::new();
    let (one, two) = (filled(&time), filled(&time));
    time.block_on(async {
        one.evict(Evict::All, "a").await.unwrap();
        assert!(!one.holds("a").await);
        assert!(two.holds("a").await && two.holds("b").await);
    });
}

#[test]
fn sp10_an_evict_with_a_key_out_of_several_arguments() {
    let time = Virtual::new();
    let shop = filled(&time);
    time.block_on(async {
        for key in ["7", "here", "7,a,here"] {
            shop.cache.put(key, "kept".to_owned()).await;
        }
        shop.evict(Evict::KeyOfSeveral, "a").await.unwrap();
        assert!(!shop.holds("a").await);
        for key in ["b", "7", "here", "7,a,here"] {
            assert!(shop.holds(key).await, "{key}");
        }
    });
}
