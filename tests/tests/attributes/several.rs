//! Several attributes on one function.

use futures_lite::future::zip;
use larder::{Cache, LoadError, cache_evict, cache_put, cacheable};
use larder_kit::Virtual;

use crate::support::{Calls, cache};

#[derive(Clone)]
struct Shop {
    one: Cache<u64, usize>,
    two: Cache<u64, usize>,
    three: Cache<u64, usize>,
    calls: Calls,
}

impl Shop {
    fn new(time: &Virtual) -> Self {
        Self {
            one: cache(time),
            two: cache(time),
            three: cache(time),
            calls: Calls::default(),
        }
    }

    #[cache_put(self.one, key = no)]
    #[cache_put(self.two, key = no + 10)]
    async fn put_two(&self, no: u64) -> usize {
        self.calls.enter()
    }

    #[cacheable(self.one, key = no)]
    #[cache_put(self.two, key = no)]
    async fn look_and_put(&self, no: u64) -> Result<usize, LoadError> {
        Ok(self.calls.enter())
    }

    #[cache_put(self.two, key = |found| *found as u64)]
    #[cacheable(self.one, key = no)]
    async fn put_and_look(&self, no: u64) -> Result<usize, LoadError> {
        Ok(self.calls.enter() + 100)
    }

    #[cache_evict(self.one)]
    #[cache_evict(self.two, all)]
    #[cache_evict(self.three, key = no + 1, before)]
    async fn evict_three(&self, no: u64) -> Result<(), LoadError> {
        self.calls.enter();
        assert_eq!(self.held(no).await, [true, true, false]);
        Ok(())
    }

    #[cacheable(self.one, key = no, condition = no > 1)]
    #[cache_evict(self.two, key = no, condition = no > 2)]
    async fn look_and_evict(&self, no: u64) -> Result<usize, LoadError> {
        Ok(self.calls.enter())
    }

    #[cacheable(self.one, key = no)]
    #[cacheable(self.two, key = no)]
    async fn look_twice(&self, no: u64) -> Result<usize, LoadError> {
        Ok(self.calls.enter())
    }

    #[cacheable(self.one)]
    #[cache_evict(self.three, all, condition = no > 100)]
    #[cacheable(self.two)]
    #[cacheable(self.three)]
    async fn look_thrice(&self, no: u64) -> usize {
        self.calls.enter()
    }

    #[cacheable(self.one, key = no, condition = !renew)]
    #[cache_put(self.one, key = no, condition = renew)]
    async fn renewed(&self, no: u64, renew: bool) -> Result<usize, LoadError> {
        Ok(self.calls.enter())
    }

    /// Written in an order that is not the one in which they act.
    #[cache_evict(self.three, key = no)]
    #[cache_put(self.three, key = no)]
    #[cache_evict(self.one, key = no, before)]
    #[cacheable(self.one, key = no)]
    #[cache_put(self.two, key = no)]
    async fn all(&self, no: u64) -> Result<usize, LoadError> {
        assert!(self.one.get(&no).await.value().is_none());
        Ok(self.calls.enter())
    }

    /// With names that the expansion uses too.
    #[expect(clippy::too_many_arguments, reason = "one for each name")]
    #[cacheable(self.one, key = place, condition = terms, unless = |value| *value > after)]
    #[cache_put(self.two, key = |answer| *answer as u64, tags = |value| [put, *value], condition = !body)]
    #[cache_evict(self.three, key = |success| *success as u64 + keyed, condition = evicting)]
    async fn clashing(
        &self,
        place: u64,
        terms: bool,
        body: bool,
        evicting: bool,
        after: usize,
        put: usize,
        keyed: u64,
    ) -> usize {
        self.calls.enter()
    }

    async fn held(&self, no: u64) -> [bool; 3] {
        let caches = [(&self.one, no), (&self.two, no), (&self.three, no + 1)];
        let mut held = [false; 3];
        for (held, (cache, no)) in held.iter_mut().zip(caches) {
            *held = cache.get(&no).await.value().is_some();
        }
        held
    }

    async fn values(&self, no: u64) -> [Option<usize>; 3] {
        let mut values = [None; 3];
        for (value, cache) in values.iter_mut().zip([&self.one, &self.two, &self.three]) {
            *value = cache.get(&no).await.value().map(|value| *value);
        }
        values
    }
}

fn with_shop<F: Future<Output = ()>>(test: impl FnOnce(Shop) -> F) {
    let time = Virtual::new();
    time.block_on(test(Shop::new(&time)));
}

#[test]
fn sp21_a_put_to_two_caches() {
    with_shop(|shop| async move {
        assert_eq!(shop.put_two(1).await, 1);
        assert_eq!(shop.values(1).await, [Some(1), None, None]);
        assert_eq!(shop.values(11).await, [None, Some(1), None]);
    });
}

#[test]
fn sp24_one_result_is_stored_in_two_caches() {
    with_shop(|shop| async move {
        assert_eq!(shop.look_and_put(1).await.ok(), Some(1));
        assert_eq!(shop.values(1).await, [Some(1), Some(1), None]);
        assert_eq!(shop.put_and_look(2).await.ok(), Some(102));
        assert_eq!(shop.values(102).await, [None, Some(102), None]);
    });
}

#[test]
fn sp25_three_evicts_in_one_call() {
    with_shop(|shop| async move {
        for cache in [&shop.one, &shop.two, &shop.three] {
            cache.put(&1, 7_usize).await;
            cache.put(&2, 7_usize).await;
        }
        assert!(shop.evict_three(1).await.is_ok());
        assert_eq!(shop.values(1).await, [None, None, Some(7)]);
        assert_eq!(shop.values(2).await, [Some(7), None, None]);
    });
}

#[test]
fn sp27_a_conditional_lookup_beside_a_conditional_evict() {
    with_shop(|shop| async move {
        for (no, kept, evicted) in [(1, false, false), (2, true, false), (3, true, true)] {
            for _ in ["a miss", "a hit"] {
                shop.two.put(&no, 7_usize).await;
                assert!(shop.look_and_evict(no).await.is_ok());
                let [one, two, _] = shop.values(no).await;
                assert_eq!((one.is_some(), two.is_none()), (kept, evicted), "{no}");
            }
        }
        assert_eq!(shop.calls.count(), 4, "1 is never cached");
    });
}

#[test]
fn sp28_of_two_lookups_a_hit_wins_and_a_miss_fills_both() {
    with_shop(|shop| async move {
        for emptied in [&shop.one, &shop.two] {
            let loaded = shop.look_twice(1).await.ok();
            assert_eq!(shop.values(1).await, [loaded, loaded, None]);
            emptied.clear().await;
            assert_eq!(shop.look_twice(1).await.ok(), loaded, "the other one hits");
            shop.one.clear().await;
            shop.two.clear().await;
        }
        assert_eq!(shop.calls.count(), 2);
    });
}

#[test]
fn sp31_sp33_calls_share_one_load_through_two_lookups_in_two_caches() {
    with_shop(|shop| async move {
        let (one, two) = zip(shop.look_twice(1), shop.look_twice(1)).await;
        assert_eq!((one.ok(), two.ok()), (Some(1), Some(1)));
        assert_eq!(shop.values(1).await, [Some(1), Some(1), None]);
    });
}

#[test]
fn of_several_lookups_the_first_is_asked_first() {
    with_shop(|shop| async move {
        let fill = |values: [Option<usize>; 3]| {
            let shop = shop.clone();
            async move {
                for (value, cache) in values.iter().zip([&shop.one, &shop.two, &shop.three]) {
                    match value {
                        Some(value) => cache.put(&1, *value).await,
                        None => cache.invalidate(&1).await,
                    };
                }
            }
        };
        for (held, answer, filled) in [
            (
                [Some(10), Some(20), Some(30)],
                10,
                [Some(10), Some(20), Some(30)],
            ),
            (
                [None, Some(20), Some(30)],
                20,
                [Some(20), Some(20), Some(30)],
            ),
            ([None, None, Some(30)], 30, [Some(30); 3]),
            ([None; 3], 1, [Some(1); 3]),
        ] {
            fill(held).await;
            assert_eq!(shop.look_thrice(1).await, answer);
            assert_eq!(shop.values(1).await, filled);
        }
    });
}

#[test]
fn sp29_on_a_hit_neither_the_function_nor_the_put_beside_the_lookup_runs() {
    with_shop(|shop| async move {
        assert_eq!(shop.look_and_put(1).await.ok(), Some(1));
        shop.two.clear().await;
        assert_eq!(shop.look_and_put(1).await.ok(), Some(1));
        assert_eq!(shop.values(1).await, [Some(1), None, None]);
    });
}

#[test]
fn sp29_conditions_that_exclude_each_other_make_a_call_renew() {
    with_shop(|shop| async move {
        for (renew, answer) in [(false, 1), (false, 1), (true, 2), (false, 2), (true, 3)] {
            assert_eq!(shop.renewed(1, renew).await.ok(), Some(answer));
            assert_eq!(shop.values(1).await[0], Some(answer));
        }
    });
}

#[test]
fn sp32_all_operations_stand_on_one_function_and_act_in_their_order() {
    with_shop(|shop| async move {
        for call in 1..=3 {
            shop.one.put(&1, 99_usize).await;
            assert_eq!(
                shop.all(1).await.ok(),
                Some(call),
                "evicted before the lookup"
            );
            // Put, and then evicted.
            assert_eq!(shop.values(1).await, [Some(call), Some(call), None]);
        }
    });
}

#[test]
fn names_of_the_expansion_are_not_those_of_the_function() {
    with_shop(|shop| async move {
        shop.three.put(&8, 7_usize).await;
        assert_eq!(shop.clashing(1, true, false, true, 5, 6, 7).await, 1);
        assert_eq!(shop.values(1).await, [Some(1), Some(1), None]);
        assert_eq!(shop.values(8).await, [None; 3]);
        shop.two.invalidate_tag("6").await;
        assert_eq!(shop.values(1).await, [Some(1), None, None]);
    });
}
