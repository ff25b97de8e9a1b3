//! What one client may take.

use std::time::Duration;

/// Bounds on sizes, times and connections; every one is enforced by the wire before a handler is asked.
///
/// ```
/// let mut limits = larder_http::Limits::default();
/// limits.max_body = 1024;
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// Connections at once, at least 1; further ones wait in the listener's backlog. Default 1,024.
    pub connections: usize,
    /// Bytes of a request's line and headers, at least 8 KiB; more is answered 431, as are more than 100 headers.
    /// Default 16 KiB.
    pub max_head: usize,
    /// Bytes of a request's body; more is answered 413. Default 64 KiB.
    pub max_body: usize,
    /// From the first byte of a request to the end of its headers; then 408. Default 10 s.
    pub head_timeout: Duration,
    /// For a request's body; then 408. Default 30 s.
    pub body_timeout: Duration,
    /// For the handler; then 503. Default 60 s, twice a cache's own deadline.
    pub work_timeout: Duration,
    /// Between two bytes of an answer that its client accepts; then the connection is cut. Default 30 s.
    pub write_timeout: Duration,
    /// Between two requests; then the connection is closed. Default 60 s.
    pub idle_timeout: Duration,
    /// For open requests once shutdown has begun; then their connections are cut. Default 10 s.
    pub grace: Duration,
    /// The grain of all times above but `grace`, each of which may be passed by at most two of it. A connection
    /// wakes once in this time and keeps no timer for a request. At least 1 ms; default 1 s.
    pub tick: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1024,
            max_head: 16 * 1024,
            max_body: 64 * 1024,
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            work_timeout: Duration::from_secs(60),
            write_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(60),
            grace: Duration::from_secs(10),
            tick: Duration::from_secs(1),
        }
    }
}

impl Limits {
    /// Without what would stop the server from working at all.
    pub(crate) fn raised(mut self) -> Self {
        self.connections = self.connections.max(1);
        // hyper takes no less.
        self.max_head = self.max_head.max(8 * 1024);
        self.tick = self.tick.max(Duration::from_millis(1));
        self
    }
}
