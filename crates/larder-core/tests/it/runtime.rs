//! Blocking work through any runtime.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use larder_core::{BlockingError, BoxFuture, Clock, Runtime, blocking};
use larder_kit::Virtual;

#[test]
fn a_runtime_as_a_trait_object_gives_the_value_of_the_work() {
    let time = Virtual::new();
    let runtime = time.runtime();
    assert_eq!(
        time.block_on(blocking(&*runtime, || "value".to_owned())),
        Ok("value".to_owned())
    );
}

#[test]
fn a_panic_of_the_work_is_an_error_with_its_text() {
    let time = Virtual::new();
    let work = || -> u8 { panic!("disk {}", 7) };
    let error = time
        .block_on(blocking(&time, work))
        .expect_err("the work panics");
    assert_eq!(error, BlockingError::Panicked("disk 7".into()));
    assert_eq!(error.to_string(), "blocking work panicked: disk 7");
}

#[test]
fn refused_work_never_runs() {
    let time = Virtual::new();
    time.bound_blocking(0);
    let ran = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&ran);
    let work = move || flag.store(true, Ordering::SeqCst);
    assert_eq!(
        time.block_on(blocking(&time, work)),
        Err(BlockingError::Busy)
    );
    time.run_until_idle();
    assert!(!ran.load(Ordering::SeqCst));
}

/// A runtime that says work is done and drops it.
#[derive(Debug)]
struct Forgetful(Virtual);

impl Runtime for Forgetful {
    fn clock(&self) -> Clock {
        self.0.clock()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.0.sleep(duration)
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        Runtime::spawn(&self.0, task);
    }

    fn blocking(
        &self,
        work: Box<dyn FnOnce() + Send>,
    ) -> BoxFuture<'static, Result<(), BlockingError>> {
        drop(work);
        Box::pin(async { Ok(()) })
    }

    fn random(&self) -> u64 {
        self.0.random()
    }
}

#[test]
fn work_that_a_pool_forgets_is_an_error_and_no_hang() {
    let time = Virtual::new();
    let forgetful = Forgetful(time.clone());
    let error = time
        .block_on(blocking(&forgetful, || 7))
        .expect_err("it never ran");
    assert_eq!(
        error,
        BlockingError::Panicked("the pool dropped the work".into())
    );
}
