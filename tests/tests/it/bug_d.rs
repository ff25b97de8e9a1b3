//! bug-D1 and D3: a ttl of nothing and a huge one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use larder::{Cache, Got, Larder, LoadError, Ttl, cacheable};
use larder_kit::Virtual;

type Numbers = Cache<u64, u64>;

fn numbers(time: &Virtual) -> Numbers {
    let larder = Larder::builder().runtime(time.clone()).build().unwrap();
    larder.cache("numbers").build().unwrap()
}

/// Zero is absence.
#[cacheable(cache, key = no, ttl = ttl, absent_ttl = absent_ttl, deadline = deadline)]
async fn lasting(
    cache: &Numbers,
    no: u64,
    ttl: Duration,
    absent_ttl: Duration,
    deadline: Duration,
    loads: &Arc<AtomicUsize>,
) -> Result<Option<u64>, LoadError> {
    loads.fetch_add(1, Ordering::SeqCst);
    Ok((no > 0).then_some(no))
}

const SECOND: Duration = Duration::from_secs(1);
const SHORT: Duration = Duration::from_nanos(9_999_999);

const HUGE: [Duration; 4] = [
    Duration::MAX,
    Duration::from_secs(u64::MAX),
    Duration::from_millis(i64::MAX as u64),
    Duration::from_nanos(u64::MAX),
];

#[test]
fn bug_d1_a_ttl_of_nothing_is_refused_by_the_builder() {
    let larder = Larder::builder().runtime(Virtual::new()).build().unwrap();
    for none in [Duration::ZERO, Duration::from_nanos(1), SHORT] {
        let ttl = larder.cache::<u64, u64>("none").ttl(none).build();
        assert_eq!(ttl.unwrap_err().setting(), "ttl");
        let absent = larder.cache::<u64, u64>("none").absent_ttl(none).build();
        let error = absent.unwrap_err();
        assert_eq!(error.setting(), "absent_ttl");
        assert!(error.to_string().contains("must"), "{error}");
    }
}

#[test]
fn bug_d1_a_call_whose_ttl_is_nothing_is_answered_and_not_stored() {
    for none in [Duration::ZERO, Duration::from_nanos(1), SHORT] {
        let time = Virtual::new();
        let (cache, loads) = (numbers(&time), Arc::default());
        time.block_on(async {
            for calls in 1..4 {
                let answer = lasting(&cache, 5, none, SECOND, SECOND, &loads).await;
                assert_eq!(answer.unwrap(), Some(5));
                assert_eq!(loads.load(Ordering::SeqCst), calls);
                assert_eq!(cache.get(&5).await, Got::Unknown);
            }
        });
        assert_eq!(cache.stats().entries, 0);
    }
}

#[test]
fn bug_d1_absence_whose_ttl_is_nothing_is_answered_and_not_stored() {
    for (ttl, absent_ttl) in [(SECOND, Duration::ZERO), (Duration::ZERO, SECOND)] {
        let time = Virtual::new();
        let (cache, loads) = (numbers(&time), Arc::default());
        time.block_on(async {
            for calls in 1..4 {
                let answer = lasting(&cache, 0, ttl, absent_ttl, SECOND, &loads).await;
                assert_eq!(answer.unwrap(), None);
                assert_eq!(loads.load(Ordering::SeqCst), calls);
            }
        });
        assert_eq!(cache.stats().entries, 0);
    }
}

#[test]
fn bug_d1_a_call_that_is_not_to_be_stored_still_answers_all_who_wait() {
    let time = Virtual::new();
    let (cache, loads) = (numbers(&time), Arc::new(AtomicUsize::new(0)));
    let calls = [(); 10].map(|()| {
        let (cache, loads) = (cache.clone(), Arc::clone(&loads));
        time.spawn(async move {
            lasting(&cache, 5, Duration::ZERO, Duration::ZERO, SECOND, &loads).await
        })
    });
    for call in calls {
        assert_eq!(time.block_on(call).unwrap(), Some(5));
    }
    assert_eq!(loads.load(Ordering::SeqCst), 1);
}

#[test]
fn bug_d1_the_shortest_ttl_is_kept_to_its_end() {
    let time = Virtual::new();
    let (cache, loads) = (numbers(&time), Arc::default());
    let shortest = Ttl::MIN.duration();
    let call = lasting(&cache, 5, shortest, shortest, SECOND, &loads);
    time.block_on(call).unwrap();
    time.advance(SHORT);
    assert!(time.block_on(cache.get(&5)).value().is_some());
    time.advance(Duration::from_nanos(1));
    assert_eq!(time.block_on(cache.get(&5)), Got::Unknown);
}

#[test]
fn bug_d3_huge_durations_are_clamped_and_nothing_panics() {
    for huge in HUGE {
        let time = Virtual::new();
        let (cache, loads) = (numbers(&time), Arc::default());
        let half_of_it = Ttl::MAX.duration() / 2;
        for no in [0, 5] {
            let call = lasting(&cache, no, huge, huge, huge, &loads);
            time.block_on(call).unwrap();
        }
        for _ in 0..2 {
            assert!(time.block_on(cache.get(&5)).value().is_some());
            assert_eq!(time.block_on(cache.get(&0)), Got::KnownAbsent);
            time.hand().advance(half_of_it);
        }
        assert_eq!(time.block_on(cache.get(&5)), Got::Unknown);
        assert_eq!(time.block_on(cache.get(&0)), Got::Unknown);
    }
}

#[test]
fn bug_d3_a_huge_setting_and_a_huge_term_together() {
    for huge in HUGE {
        let time = Virtual::new();
        let larder = Larder::builder().runtime(time.clone()).build().unwrap();
        let cache = larder.cache("huge").ttl(huge).absent_ttl(huge);
        let cache: Numbers = cache.deadline(huge).build().unwrap();
        let loads = Arc::default();
        // Late in the life of the machine, where sums could wrap.
        time.hand()
            .advance(Duration::from_secs(400 * 365 * 24 * 3600));
        for no in [0, 5] {
            time.block_on(lasting(&cache, no, huge, huge, huge, &loads))
                .unwrap();
        }
        time.block_on(cache.put(&6, 6));
        assert!(time.block_on(cache.get(&5)).value().is_some());
        assert!(time.block_on(cache.get(&6)).value().is_some());
        assert_eq!(time.block_on(cache.get(&0)), Got::KnownAbsent);
    }
}

#[test]
fn bug_d3_a_hung_load_with_a_huge_deadline_ends_no_call_and_breaks_nothing() {
    let time = Virtual::new();
    let larder = Larder::builder().runtime(time.clone()).build().unwrap();
    let cache: Numbers = larder
        .cache("hung")
        .deadline(Duration::MAX)
        .build()
        .unwrap();
    let hung = cache.clone();
    let call = time.spawn(async move { hung.get_or_load(&1, std::future::pending::<u64>).await });
    time.run_until_idle();
    time.hand()
        .advance(Duration::from_secs(50 * 365 * 24 * 3600));
    time.run_until_idle();
    assert!(!call.is_finished());
    call.cancel();
    assert_eq!(
        time.block_on(cache.get_or_load(&2, || async { 2 }))
            .unwrap(),
        2
    );
}
