//! Threads that run tasks.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread;

use larder_core::BoxFuture;

thread_local! {
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

/// A task that marks the thread as one that runs tasks, for as long as it is polled.
pub(super) struct Busy(pub(super) BoxFuture<'static, ()>);

impl Busy {
    /// Whether this thread runs a task of ours, or is one of smol's own, which it names so.
    pub(super) fn here() -> bool {
        let named = || {
            thread::current()
                .name()
                .is_some_and(|name| name.starts_with("smol-"))
        };
        BUSY.get() || named()
    }
}

impl Future for Busy {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let _marked = Marked(BUSY.replace(true));
        self.0.as_mut().poll(cx)
    }
}

/// Takes the mark back, also after a panic.
struct Marked(bool);

impl Drop for Marked {
    fn drop(&mut self) {
        BUSY.set(self.0);
    }
}
