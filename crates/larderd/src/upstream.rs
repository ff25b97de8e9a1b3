//! The upstream that is brought along.

use std::future;
use std::io;
use std::thread;

use larder_http::{App, Limits, Server, Upstream};
use smol::Executor;

/// Not that of everything else: the threads of that one are what `/blocking` blocks.
static EXECUTOR: Executor<'static> = Executor::new();

/// Serves an upstream on a free port of the loopback, on a thread of its own, until the process ends; for so many who
/// wait at once.
///
/// # Errors
/// There is no port or no thread left.
pub(crate) fn start(most: usize) -> io::Result<Upstream> {
    let listener = crate::listener::bind("127.0.0.1:0")?;
    let url = format!("http://{}", listener.local_addr()?);
    let mut limits = Limits::default();
    limits.connections = most;
    let server = Server::new(App::upstream(), &EXECUTOR).limits(limits);
    let serve = move || {
        let served = smol::block_on(EXECUTOR.run(server.serve(listener, future::pending())));
        if let Err(error) = served {
            tracing::error!(%error, "the upstream has ended");
        }
    };
    thread::Builder::new()
        .name("upstream".to_owned())
        .spawn(serve)?;
    Upstream::parse(&url).map_err(io::Error::other)
}
