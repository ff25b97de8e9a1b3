//! The thread that moves bytes.

use std::panic::AssertUnwindSafe;
use std::sync::OnceLock;
use std::thread;

use futures_lite::FutureExt;
use futures_lite::future::pending;
use smol::{Executor, Task};

/// Runs what moves the bytes of a connection, until the result is dropped.
///
/// One thread of the process's own, and not the executor of the program: a task there that blocks
/// would hold up the answers to all requests, and they would look like those of a dead server. Where
/// no thread can be had, it is smol's global executor. What panics ends, and takes nothing along.
pub(super) fn drive(driver: impl Future<Output = ()> + Send + 'static) -> Task<()> {
    let driver = async {
        // Its connection ends with it, and is replaced.
        let _ = AssertUnwindSafe(driver).catch_unwind().await;
    };
    match executor() {
        Some(executor) => executor.spawn(driver),
        None => smol::spawn(driver),
    }
}

fn executor() -> Option<&'static Executor<'static>> {
    static EXECUTOR: Executor<'static> = Executor::new();
    static RUNS: OnceLock<bool> = OnceLock::new();
    let run = || smol::block_on(EXECUTOR.run(pending::<()>()));
    let start = || {
        let thread = thread::Builder::new().name("larder-redis".to_owned());
        thread.spawn(run).is_ok()
    };
    RUNS.get_or_init(start).then_some(&EXECUTOR)
}
