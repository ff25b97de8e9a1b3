//! Scripted sources.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use futures_lite::future::{poll_once, zip};
use larder_core::Runtime;
use larder_kit::{Gate, KitError, Loader, Step, Virtual};

fn source() -> (Virtual, Loader) {
    let time = Virtual::new();
    let loader = Loader::new(time.runtime());
    (time, loader)
}

#[test]
fn a_script_is_played_in_order_and_then_the_usual_step() {
    let (time, loader) = source();
    loader
        .then(Step::value("first"))
        .then(Step::error("second"))
        .then(Step::absent());
    loader.always(Step::value("usual"));
    let call = |key: &str| time.block_on(loader.call(key));
    assert_eq!(call("a").as_deref(), Ok("first"));
    assert_eq!(call("a"), Err(KitError::new("second")));
    assert_eq!(call("a"), Err(KitError::new("nothing for a")));
    assert_eq!(call("b").as_deref(), Ok("usual"));
    assert_eq!(
        (loader.calls(), loader.calls_of("a"), loader.calls_of("c")),
        (4, 3, 0)
    );
}

#[test]
fn an_absence_is_found_as_none() {
    let (time, loader) = source();
    loader.then(Step::absent());
    assert_eq!(time.block_on(loader.find(7)), Ok(None));
    assert_eq!(
        time.block_on(loader.find(7)),
        Ok(Some("value-for-7".into()))
    );
}

#[test]
fn a_call_counts_from_its_first_poll_and_runs_until_it_ends_or_is_dropped() {
    let (time, loader) = source();
    loader.always(Step::never());
    let unpolled = loader.call(1);
    assert_eq!((loader.calls(), loader.running()), (0, 0));
    drop(unpolled);
    let mut polled = loader.call(1);
    assert_eq!(time.block_on(poll_once(&mut polled)), None);
    assert_eq!((loader.calls(), loader.running()), (1, 1));
    drop(polled);
    assert_eq!((loader.calls(), loader.running()), (1, 0));
}

#[test]
fn a_step_waits_at_its_gate_and_then_for_its_delay() {
    let (time, loader) = source();
    let gate = Gate::closed();
    let delay = Duration::from_secs(5);
    loader.then(Step::echo().at(&gate).after(delay));
    let call = time.spawn(loader.call(1));
    time.advance(delay * 2);
    assert!(!call.is_finished() && gate.waiting() == 1);
    gate.open();
    time.run_until_idle();
    assert!(!call.is_finished() && time.sleepers() == 1);
    time.advance(delay);
    assert_eq!(time.block_on(call).as_deref(), Ok("value-for-1"));
}

#[test]
fn a_panic_is_the_one_that_was_asked_for_and_ends_the_call() {
    let (time, loader) = source();
    loader.then(Step::panic("disk 7"));
    let panic = catch_unwind(AssertUnwindSafe(|| time.block_on(loader.call(1))));
    let panic = panic.expect_err("it panics");
    assert_eq!(
        panic.downcast_ref::<String>().map(String::as_str),
        Some("disk 7")
    );
    assert_eq!(loader.running(), 0);
}

#[test]
fn clones_are_one_source_for_many_callers() {
    let (time, loader) = source();
    let gate = Gate::closed();
    loader.always(Step::echo().at(&gate));
    let callers = [0, 1, 2].map(|key| time.spawn(loader.clone().call(key)));
    time.block_on(zip(gate.arrived(3), time.sleep(Duration::ZERO)));
    assert_eq!((loader.calls(), loader.running()), (3, 3));
    gate.open();
    for (key, caller) in callers.into_iter().enumerate() {
        assert_eq!(time.block_on(caller), Ok(format!("value-for-{key}")));
    }
    assert_eq!(loader.running(), 0);
}
