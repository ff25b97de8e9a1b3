//! What dogpile's suite checks beside the rest.

use std::time::Duration;

use larder_engine::{Cache, CallOptions, Got, Held, Loaded};
use larder_kit::Virtual;

use crate::far::rig::Pair;
use crate::support::{SECOND, TTL, numbers};

type Texts = Cache<u64, String>;

fn texts(time: &Virtual) -> Texts {
    let cache = crate::support::larder(time).cache("texts");
    cache.ttl(TTL).stale(TTL).build().unwrap()
}

/// Soft: the old value serves where a load fails. Hard: it does not.
#[test]
fn dg_soft_and_hard_invalidation_for_a_look_a_load_and_many_keys() {
    let time = Virtual::new();
    let fails = || async { Err::<String, _>(std::io::Error::other("down")) };
    let all_fail = |_| async { Err::<Vec<(u64, String)>, _>(std::io::Error::other("down")) };
    for soft in [true, false] {
        let cache = texts(&time);
        time.block_on(async {
            for key in [1, 2] {
                cache.put(&key, "old".to_owned()).await;
                if soft {
                    cache.expire(&key).await;
                } else {
                    cache.invalidate(&key).await;
                }
            }
            assert_eq!(cache.get(&1).await, Got::Unknown);
            assert_eq!(cache.get_many(&[1, 2]).await, [Got::Unknown, Got::Unknown]);
            let one = cache.get_or_load(&1, fails).await;
            assert_eq!(one.is_ok_and(|value| value == "old"), soft);
            let many = cache.get_or_load_many(&[1, 2], all_fail).await;
            for answer in many {
                let old = answer.ok().flatten();
                assert_eq!(old.is_some_and(|value| *value == "old"), soft);
            }
            let load = || async { "new".to_owned() };
            let anew = CallOptions::new().mode(larder_engine::Mode::WriteOnly);
            cache.get_or_load_with(&1, anew, load).await.unwrap();
            let held = cache.get(&1).await.value();
            assert_eq!(held.unwrap().as_str(), "new");
        });
    }
}

#[test]
fn dg_one_call_may_set_when_its_value_ends() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let short = CallOptions::new().ttl(SECOND);
    time.block_on(async {
        cache
            .get_or_load_with(&1, short, || async { 1 })
            .await
            .unwrap();
        cache.get_or_load(&2, || async { 2 }).await.unwrap();
    });
    time.advance(SECOND);
    let held = time.block_on(cache.get_many(&[1, 2]));
    let held: Vec<_> = held.into_iter().map(|got| got.value().is_some()).collect();
    assert_eq!(held, [false, true]);
}

#[test]
fn dg_what_is_known_of_an_entry_is_read_without_a_use_of_it() {
    let pair = Pair::new();
    pair.fetch();
    pair.time.advance(SECOND * 5);
    let before = pair.one.numbers.stats();
    let told = pair.time.block_on(pair.one.numbers.explain(&1));
    for (tier, held) in [("near", &told.near), ("far", &told.far)] {
        let Held::Usable {
            absence,
            age,
            left,
            tags,
            ..
        } = held
        else {
            panic!("{tier}: {held:?}");
        };
        let off = age.abs_diff(SECOND * 5);
        assert!(off < Duration::from_millis(50), "{tier}: {age:?}");
        let off = left.unwrap().abs_diff(TTL - SECOND * 5);
        assert!(off < Duration::from_millis(50), "{tier}: {left:?}");
        assert_eq!((*absence, *tags), (false, 1), "{tier}");
    }
    assert_eq!(pair.one.numbers.stats().since(&before).near, 0);
    let told = pair.time.block_on(pair.one.numbers.explain(&2));
    assert_eq!((told.near, told.far), (Held::Nothing, Held::Nothing));
}

#[test]
fn dg_a_value_says_whether_it_is_to_be_kept() {
    let pair = Pair::new();
    for (keep, held) in [(false, None), (true, Some(7))] {
        let load = move || async move {
            let value = Loaded::new(7);
            if keep { value } else { value.unstored() }
        };
        let given = pair.time.block_on(pair.one.numbers.get_or_load(&1, load));
        assert_eq!(given.unwrap(), 7);
        let seen = (pair.held(), pair.two.held(&pair.time));
        assert_eq!(seen, (held, held));
    }
}
