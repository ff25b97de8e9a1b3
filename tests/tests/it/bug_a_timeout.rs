//! bug-A11: a load that never ends hangs nobody; and whose deadline counts.

use std::future::pending;
use std::time::Duration;

use futures_lite::future::{poll_once, yield_now};
use larder::{Cache, Larder, LoadErrorKind, cacheable, observe};
use larder_kit::{Gate, Step, Virtual};

use crate::shop::{FORMS, Shop, Trouble};

const SECOND: Duration = Duration::from_secs(1);

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn hasty(time: &Virtual) -> Shop {
    Shop::with(time, |cache| cache.deadline(SECOND))
}

#[test]
fn bug_a11_every_caller_gets_a_timeout_and_a_good_loader_works_next() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = hasty(&time);
        shop.source.always(Step::never());
        let calls = [(); 5].map(|()| time.spawn(shop.ask(form, "k")));
        time.advance(ms(900));
        let late = time.spawn(shop.ask(form, "k"));
        time.run_until_idle();
        assert_eq!(shop.cache.stats().running, 1);
        time.advance(ms(100));
        for call in calls.into_iter().chain([late]) {
            assert!(call.is_finished());
            let error = time.block_on(call).unwrap_err();
            assert_eq!(error.kind(), LoadErrorKind::TimedOut);
        }
        assert_eq!(shop.cache.stats().running, 0);
        assert_eq!(shop.source.running(), 0, "the load is dropped");
        shop.source.always(Step::echo());
        assert_eq!(time.block_on(shop.ask(form, "k")).unwrap(), "value-for-k");
    }
}

#[test]
fn bug_a11_also_for_a_load_that_is_busy_without_end() {
    let time = Virtual::new();
    let larder = Larder::builder().runtime(time.clone()).build().unwrap();
    let cache: Cache<u64, u64> = larder.cache("busy").deadline(SECOND).build().unwrap();
    let hand = time.hand();
    let call = cache.get_or_load(&1, move || async move {
        loop {
            // Each turn takes its time, and the load is always ready for the next.
            hand.advance(ms(10));
            yield_now().await;
        }
        #[expect(unreachable_code, reason = "it says what the load would give")]
        7
    });
    assert_eq!(
        time.block_on(call).unwrap_err().kind(),
        LoadErrorKind::TimedOut
    );
    assert_eq!(cache.stats().running, 0);
}

#[test]
fn bug_a11_hung_loads_of_many_keys_do_not_pile_up() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::with(&time, |cache| cache.deadline(SECOND).max_loads(10));
        shop.source.always(Step::never());
        let mut refused = 0;
        for index in 0..100 {
            let mut call = shop.ask(form, &format!("k{index}"));
            let answer = time.block_on(poll_once(&mut call));
            refused += usize::from(answer.is_some_and(|answer| {
                answer.is_err_and(|error| error.kind() == LoadErrorKind::Refused)
            }));
        }
        assert_eq!((refused, shop.cache.stats().running), (90, 10));
        time.advance(SECOND);
        assert_eq!(shop.cache.stats().running, 0);
    }
}

#[cacheable(cache, key = key, deadline = deadline)]
async fn patient(
    cache: &Cache<String, String>,
    key: &str,
    deadline: Duration,
    gate: &Gate,
) -> Result<String, Trouble> {
    gate.wait().await;
    Ok(key.to_owned())
}

#[test]
fn bug_a11_a_joined_load_keeps_its_own_deadline() {
    let time = Virtual::new();
    let shop = hasty(&time);
    let gate = Gate::closed();
    let long = patient(&shop.cache, "k", SECOND * 5, &gate);
    futures_lite::pin!(long);
    assert!(time.block_on(poll_once(long.as_mut())).is_none());
    let mut short = shop.ask(FORMS[0], "k");
    time.advance(SECOND * 4);
    assert!(time.block_on(poll_once(&mut short)).is_none());
    gate.open();
    assert_eq!(time.block_on(long).unwrap(), "k");
    assert_eq!(time.block_on(short).unwrap(), "k");
}

#[test]
fn bug_a11_a_deadline_of_nothing_ends_the_call_before_its_body() {
    let time = Virtual::new();
    let shop = hasty(&time);
    let gate = Gate::opened();
    let call = patient(&shop.cache, "k", Duration::ZERO, &gate);
    assert_eq!(
        time.block_on(call).unwrap_err().kind(),
        LoadErrorKind::TimedOut
    );
    time.run_until_idle();
    assert_eq!(shop.cache.stats().running, 0);
    assert!(
        time.block_on(patient(&shop.cache, "k", SECOND, &gate))
            .is_ok()
    );
}

#[cacheable(cache, key = key)]
async fn infallible(cache: &Cache<String, String>, key: &str) -> String {
    format!("past {key}")
}

#[test]
fn bug_a11_where_no_load_may_start_a_function_without_a_result_still_answers() {
    let time = Virtual::new();
    let shop = Shop::with(&time, |cache| cache.max_loads(1));
    let hung = shop.cache.get_or_load("hung", pending::<String>);
    futures_lite::pin!(hung);
    assert!(time.block_on(poll_once(hung.as_mut())).is_none());
    for _ in 0..2 {
        let (answer, why) = time.block_on(observe(infallible(&shop.cache, "k")));
        assert_eq!(answer, "past k");
        let larder::Outcome::Loaded { why, stored, .. } = *why[0].outcome() else {
            panic!("{why:?}");
        };
        assert_eq!((why.name(), stored), ("bypass", false));
    }
}
