//! Panics of the user's code, turned into errors.

use std::panic::{AssertUnwindSafe, catch_unwind};

use larder_core::LoadError;

/// Runs `work`; a panic in it is an error of kind `Panicked`.
///
/// What `work` has seen is not used again after a panic, or is a flight, which no panic leaves half
/// changed.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, LoadError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let error = LoadError::from_panic(&*payload);
        discard(payload);
        error
    })
}

/// Drops what is the user's and may panic when it is dropped. That goes no further than the panic
/// hook; what a panic's payload throws in turn is leaked, for there is no end to it otherwise.
pub(crate) fn discard<T>(value: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        std::mem::forget(payload);
    }
}
