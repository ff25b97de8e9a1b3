//! The executor and its threads.

use std::io;
use std::num::NonZeroUsize;
use std::thread;

use smol::{Executor, channel};

/// All tasks of the program run here.
pub(crate) static EXECUTOR: Executor<'static> = Executor::new();

/// Runs every task of [`EXECUTOR`], and `main` as one of them, on this thread and on `workers - 1` more, until `main` ends.
///
/// Every thread runs the executor and waits for nothing else, so no task has to wake a thread that cannot run it, and none
/// is held up by a thread that another task blocks.
///
/// # Errors
/// A thread cannot be started; `main` has then not run.
pub(crate) fn run<T: Send + 'static>(
    workers: NonZeroUsize,
    main: impl Future<Output = T> + Send + 'static,
) -> io::Result<T> {
    let (running, ended) = channel::bounded::<()>(1);
    let mut threads = Vec::new();
    for number in 1..workers.get() {
        let ended = ended.clone();
        let work = move || {
            // Closing the channel is the message.
            let _ = smol::block_on(EXECUTOR.run(ended.recv()));
        };
        threads.push(
            thread::Builder::new()
                .name(format!("larder-{number}"))
                .spawn(work)?,
        );
    }
    let done = smol::block_on(EXECUTOR.run(EXECUTOR.spawn(main)));
    drop(running);
    for thread in threads {
        // A panic of a task stays in that task; a worker has nothing else to say.
        let _ = thread.join();
    }
    Ok(done)
}
