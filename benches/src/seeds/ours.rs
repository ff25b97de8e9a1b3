//! How callers of larder reach the server: tasks of one thread, and one connection for all.

use std::sync::Arc;

use larder::{Connection, Redis, Settings, Smol};
use smol::Executor;

static EXECUTOR: Executor<'static> = Executor::new();

/// Runs all tasks on this thread until `future` has ended.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    smol::block_on(EXECUTOR.run(future))
}

/// A task beside others.
pub(crate) fn spawn<T: Send + 'static>(
    task: impl Future<Output = T> + Send + 'static,
) -> smol::Task<T> {
    EXECUTOR.spawn(task)
}

/// The runtime of caches: loads run beside their callers.
pub(crate) fn runtime() -> Smol {
    Smol::on(&EXECUTOR)
}

/// One connection to the server of this port.
///
/// # Errors
/// The server does not take it.
pub(crate) async fn connect(port: u16) -> anyhow::Result<Connection> {
    let settings = Settings::parse(&format!("redis://127.0.0.1:{port}"))?;
    Ok(Connection::connect(settings, Arc::new(runtime())).await?)
}

/// The store over a connection.
pub(crate) fn store(connection: Connection) -> Redis {
    Redis::over(Arc::new(connection), Arc::new(runtime()), "bench")
}
