//! The runtime on smol: where work runs, its bound, and what becomes of panics.

use std::future::pending;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use futures_lite::future::{block_on, poll_once};
use larder_core::{BlockingError, LoadErrorKind, Runtime, blocking};
use larder_engine::{Cache, Larder, Smol};
use larder_kit::Gate;
use smol::Executor;

fn cache(runtime: Smol) -> Cache<u64, String> {
    let larder = Larder::builder().runtime(runtime).build().unwrap();
    larder.cache("threads").build().unwrap()
}

fn executor() -> &'static Executor<'static> {
    Box::leak(Box::new(Executor::new()))
}

async fn thread_name() -> String {
    thread::current().name().unwrap_or("none").to_owned()
}

/// A thread that runs `executor` until the gate is opened.
fn run(executor: &'static Executor<'static>, name: &str) -> (Gate, thread::JoinHandle<()>) {
    let end = Gate::closed();
    let until = end.clone();
    let work = move || block_on(executor.run(async move { until.wait().await }));
    let thread = thread::Builder::new().name(name.to_owned()).spawn(work);
    (end, thread.unwrap())
}

#[test]
fn loads_run_on_the_executor_that_was_given() {
    let executor = executor();
    let (end, thread) = run(executor, "mine");
    let cache = cache(Smol::on(executor));
    let name = block_on(cache.get_or_load(&1, thread_name)).unwrap();
    assert_eq!(name, "mine");
    end.open();
    thread.join().unwrap();
}

#[test]
fn without_one_they_run_on_smols_threads() {
    let cache = cache(Smol::global());
    let name = block_on(cache.get_or_load(&1, thread_name)).unwrap();
    assert!(name.starts_with("smol"), "{name}");
}

#[test]
fn on_an_executor_that_nobody_runs_a_call_ends_by_its_deadline() {
    let larder = Larder::builder().runtime(Smol::on(executor()));
    let cache = larder.build().unwrap().cache("idle");
    let cache: Cache<u64, String> = cache.deadline(Duration::from_millis(10)).build().unwrap();
    let error = block_on(cache.get_or_load(&1, thread_name)).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::TimedOut);
}

#[test]
fn a_deadline_passes_in_real_time_too() {
    let larder = Larder::builder().build().unwrap();
    let cache = larder.cache("slow").deadline(Duration::from_millis(10));
    let cache: Cache<u64, u64> = cache.build().unwrap();
    let error = block_on(cache.get_or_load(&1, pending::<u64>)).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::TimedOut);
}

#[test]
fn a_panicking_load_leaves_the_executors_thread_alive() {
    let executor = executor();
    let (end, thread) = run(executor, "survivor");
    let cache = cache(Smol::on(executor));
    for key in 0..3 {
        let panicking = async { panic!("on purpose") };
        let panicked = block_on(cache.get_or_load(&key, || -> smol::future::Boxed<String> {
            Box::pin(panicking)
        }));
        assert_eq!(panicked.unwrap_err().kind(), LoadErrorKind::Panicked);
    }
    let name = block_on(cache.get_or_load(&9, thread_name)).unwrap();
    assert_eq!(name, "survivor");
    end.open();
    thread.join().unwrap();
}

#[test]
fn blocking_work_runs_elsewhere_and_gives_its_result() {
    let here = thread::current().id();
    let there = block_on(blocking(&Smol::global(), || thread::current().id()));
    assert_ne!(there.unwrap(), here);
}

/// Blocking work that is accepted and waits until the sender is dropped.
fn occupy(runtime: &Smol) -> (mpsc::Sender<()>, larder_core::BoxFuture<'static, Answer>) {
    let (go_on, wait) = mpsc::channel::<()>();
    let work = runtime.blocking(Box::new(move || wait.recv().unwrap_or(())));
    (go_on, work)
}

type Answer = Result<(), BlockingError>;

#[test]
fn over_its_bound_blocking_work_is_refused_at_once() {
    let runtime = Smol::global().blocking_limit(2).unwrap();
    let (first, one) = occupy(&runtime);
    let (second, two) = occupy(&runtime.clone());
    let refused = block_on(runtime.blocking(Box::new(|| {})));
    assert_eq!(refused, Err(BlockingError::Busy));
    drop(first);
    assert_eq!(block_on(one), Ok(()));
    assert_eq!(block_on(runtime.blocking(Box::new(|| {}))), Ok(()));
    drop(second);
    assert_eq!(block_on(two), Ok(()));
}

#[test]
fn other_runtimes_have_bounds_of_their_own() {
    let (full, free) = (Smol::global().blocking_limit(1).unwrap(), Smol::global());
    let (go_on, work) = occupy(&full);
    assert_eq!(block_on(free.blocking(Box::new(|| {}))), Ok(()));
    drop(go_on);
    assert_eq!(block_on(work), Ok(()));
}

#[test]
fn a_panic_in_blocking_work_is_an_error_and_gives_its_place_back() {
    let runtime = Smol::global().blocking_limit(1).unwrap();
    for _ in 0..3 {
        let panicked = block_on(runtime.blocking(Box::new(|| panic!("disk on fire"))));
        assert_eq!(
            panicked,
            Err(BlockingError::Panicked("disk on fire".into()))
        );
    }
    assert_eq!(block_on(blocking(&runtime, || 7)), Ok(7));
}

#[test]
fn work_that_was_accepted_runs_though_its_future_is_dropped() {
    let runtime = Smol::global().blocking_limit(1).unwrap();
    let (done, is_done) = mpsc::channel();
    drop(runtime.blocking(Box::new(move || done.send(7).unwrap())));
    assert_eq!(is_done.recv(), Ok(7));
}

#[test]
fn work_whose_caller_has_left_counts_until_it_has_ended() {
    let runtime = Smol::global().blocking_limit(1).unwrap();
    let (go_on, mut work) = occupy(&runtime);
    assert!(block_on(poll_once(&mut work)).is_none());
    drop(work);
    assert_eq!(
        block_on(runtime.blocking(Box::new(|| {}))),
        Err(BlockingError::Busy)
    );
    drop(go_on);
    // The place is free a moment later; who comes again gets it.
    let free = || block_on(runtime.blocking(Box::new(|| {}))).is_ok();
    while !free() {
        thread::yield_now();
    }
}

#[test]
fn a_dropped_sleep_is_cancelled_and_endless_ones_wait() {
    let runtime = Smol::global();
    let mut endless = runtime.sleep(Duration::MAX);
    assert!(block_on(poll_once(&mut endless)).is_none());
    drop(endless);
    block_on(runtime.sleep(Duration::ZERO));
}

#[test]
fn random_bits_differ() {
    let runtime = Smol::global();
    assert_ne!(runtime.random(), runtime.random());
}

/// One thread runs all tasks, as with `SMOL_THREADS=1`.
#[test]
fn bug_l9_work_that_blocks_on_the_pool_holds_up_neither_hits_nor_loads_nor_deadlines() {
    const AT_ONCE: u64 = 5;
    let executor = executor();
    let (end, thread) = run(executor, "only");
    let runtime = Smol::on(executor);
    let larder = Larder::builder().runtime(runtime.clone()).build().unwrap();
    let slow: Cache<u64, u64> = larder.cache("slow").build().unwrap();
    let quick = larder.cache("quick").deadline(Duration::from_millis(10));
    let quick: Cache<u64, u64> = quick.build().unwrap();
    let all = std::sync::Arc::new(std::sync::Barrier::new(AT_ONCE as usize + 1));
    let calls: Vec<_> = (0..AT_ONCE)
        .map(|key| {
            let (slow, runtime, all) = (slow.clone(), runtime.clone(), all.clone());
            executor.spawn(async move {
                let block = move || {
                    all.wait();
                    all.wait();
                    key
                };
                let load = move || async move { blocking(&runtime, block).await };
                slow.get_or_load(&key, load).await
            })
        })
        .collect();
    // They run beside each other: it takes all of them to get past here.
    all.wait();
    let meanwhile = executor.spawn(async move {
        let loaded = quick.get_or_load(&1, || async { 7 }).await.unwrap();
        let hit = quick.get(&1).await.value();
        let late = quick.get_or_load(&2, pending::<u64>).await;
        (loaded, hit.as_deref().copied(), late.unwrap_err().kind())
    });
    let meanwhile = block_on(meanwhile);
    assert_eq!(meanwhile, (7, Some(7), LoadErrorKind::TimedOut));
    assert_eq!(slow.stats().running, AT_ONCE as usize);
    all.wait();
    for (key, call) in calls.into_iter().enumerate() {
        assert_eq!(block_on(call).unwrap(), key as u64);
    }
    end.open();
    thread.join().unwrap();
}
