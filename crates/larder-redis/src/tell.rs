//! Telling others.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Tells each of them. One that panics keeps nothing from the others, nor from who tells.
pub(crate) fn tell<T: ?Sized>(all: impl IntoIterator<Item = Arc<T>>, what: impl Fn(&T)) {
    for one in all {
        let _ = catch_unwind(AssertUnwindSafe(|| what(&one)));
    }
}
