//! bug-B1: an old load never overwrites a newer invalidation.

use std::time::Duration;

use larder_kit::{Spawned, Step, Virtual};

use crate::shop::{EVICTS, Evict, FORMS, Form, Shop, Trouble};

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// How the cache learns that the source has changed.
#[derive(Debug, Clone, Copy)]
enum Told {
    Function(Evict),
    Invalidate,
    Clear,
    Put,
}

fn all() -> impl Iterator<Item = Told> {
    let calls = [Told::Invalidate, Told::Clear, Told::Put];
    EVICTS.map(Told::Function).into_iter().chain(calls)
}

async fn tell(shop: &Shop, how: Told) {
    match how {
        Told::Function(evict) => {
            // The function's own call of the source is no load of the key.
            shop.source.then(Step::echo());
            shop.evict(evict, "k").await.unwrap();
        }
        Told::Invalidate => drop(shop.cache.invalidate("k").await),
        Told::Clear => drop(shop.cache.clear().await),
        Told::Put => drop(shop.cache.put("k", "v2".to_owned()).await),
    }
}

/// Loads read the source at once and give what they read 400 ms later.
fn read(shop: &Shop, version: &str) {
    shop.source.always(Step::value(version).after(ms(400)));
}

fn ask(time: &Virtual, shop: &Shop, form: Form) -> Spawned<Result<String, Trouble>> {
    let call = time.spawn(shop.ask(form, "k"));
    time.run_until_idle();
    call
}

#[test]
fn bug_b1_who_asks_after_the_invalidation_gets_the_new_value_now_and_later() {
    for form in FORMS {
        for how in all() {
            for after in [0, 100, 399, 400, 401] {
                println!("{form:?} {how:?} {after}");
                let time = Virtual::new();
                let shop = Shop::new(&time);
                read(&shop, "v1");
                let first = ask(&time, &shop, form);
                time.advance(ms(after));
                read(&shop, "v2");
                time.block_on(tell(&shop, how));
                let second = ask(&time, &shop, form);
                time.advance(ms(100));
                let third = ask(&time, &shop, form);
                time.advance(ms(400));
                assert!(["v1", "v2"].contains(&time.block_on(first).unwrap().as_str()));
                assert_eq!(time.block_on(second).unwrap(), "v2");
                assert_eq!(time.block_on(third).unwrap(), "v2");
                time.advance(ms(5_000));
                assert_eq!(time.block_on(shop.ask(form, "k")).unwrap(), "v2");
            }
        }
    }
}

#[test]
fn bug_b1_an_early_evict_alone_does_not_cover_a_change_that_comes_after_it() {
    // Why evicting functions act after their success unless asked otherwise: a reader who comes
    // between the early evict and the change keeps the old value.
    let time = Virtual::new();
    let shop = Shop::new(&time);
    read(&shop, "v1");
    shop.source.then(Step::echo().after(ms(1_000)));
    let changing = shop.clone();
    let change = time.spawn(async move { changing.evict(Evict::KeyEarly, "k").await });
    time.advance(ms(100));
    let between = ask(&time, &shop, Form::Attribute);
    time.advance(ms(900));
    read(&shop, "v2");
    time.block_on(change).unwrap();
    assert_eq!(time.block_on(between).unwrap(), "v1");
    assert_eq!(time.block_on(shop.ask(Form::Attribute, "k")).unwrap(), "v1");
    time.block_on(tell(&shop, Told::Function(Evict::Key)));
    assert!(!time.block_on(shop.holds("k")));
}

#[test]
fn bug_b1_several_changes_during_one_load() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        read(&shop, "v0");
        let mut calls = vec![ask(&time, &shop, form)];
        for version in 1..=5 {
            time.advance(ms(50));
            read(&shop, &format!("v{version}"));
            time.block_on(shop.cache.invalidate("k"));
            calls.push(ask(&time, &shop, form));
        }
        time.advance(ms(400));
        for (version, call) in calls.into_iter().enumerate() {
            assert_eq!(time.block_on(call).unwrap(), format!("v{version}"));
        }
        assert_eq!(time.block_on(shop.ask(form, "k")).unwrap(), "v5");
        assert_eq!(shop.cache.stats().refused, 5);
    }
}

#[test]
fn bug_b1_the_value_that_was_held_before_does_not_come_back_either() {
    for form in FORMS {
        for how in all() {
            let time = Virtual::new();
            let shop = Shop::new(&time);
            time.block_on(shop.cache.put("k", "v1".to_owned()));
            read(&shop, "v2");
            time.block_on(tell(&shop, how));
            let call = ask(&time, &shop, form);
            time.advance(ms(400));
            assert_eq!(time.block_on(call).unwrap(), "v2", "{how:?}");
        }
    }
}
