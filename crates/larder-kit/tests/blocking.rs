//! Blocking work on a virtual runtime, held at a gate and bounded.

use futures_lite::future::poll_once;
use larder_core::{BlockingError, blocking};
use larder_kit::Virtual;

#[test]
fn blocking_work_runs_as_a_task_and_gives_its_value() {
    let time = Virtual::new();
    assert_eq!(time.block_on(blocking(&time, || 6 * 7)), Ok(42));
    let panicked = time.block_on(blocking(&time, || -> u8 { panic!("bad disk") }));
    assert_eq!(panicked, Err(BlockingError::Panicked("bad disk".into())));
}

#[test]
fn held_work_counts_against_the_bound_until_it_ends() {
    let time = Virtual::new();
    let gate = time.hold_blocking();
    time.bound_blocking(2);
    let mut first = Box::pin(blocking(&time, || 1));
    let mut second = Box::pin(blocking(&time, || 2));
    assert_eq!(time.block_on(poll_once(&mut first)), None);
    assert_eq!(time.block_on(poll_once(&mut second)), None);
    time.block_on(gate.arrived(2));
    let third = time.block_on(blocking(&time, || 3));
    assert_eq!(third, Err(BlockingError::Busy));

    drop(first);
    let third = time.block_on(blocking(&time, || 3));
    assert_eq!(
        third,
        Err(BlockingError::Busy),
        "accepted work runs though nobody waits"
    );
    gate.open();
    assert_eq!(time.block_on(second), Ok(2));
    assert_eq!(time.block_on(blocking(&time, || 3)), Ok(3));
}

#[test]
fn work_of_a_runtime_that_ends_gives_an_error_and_frees_its_place() {
    let time = Virtual::new();
    let gate = time.hold_blocking();
    time.bound_blocking(1);
    let mut work = Box::pin(blocking(&time, || 1));
    assert_eq!(time.block_on(poll_once(&mut work)), None);
    time.drop_tasks();
    let error = time.block_on(work);
    assert_eq!(
        error,
        Err(BlockingError::Panicked("the runtime ended".into()))
    );
    gate.open();
    assert_eq!(time.block_on(blocking(&time, || 2)), Ok(2));
}
