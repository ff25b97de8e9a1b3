//! The ports.

use std::io;
use std::net::{TcpListener, ToSocketAddrs};

/// As many may wait to be accepted, if the system lets them: the standard library's 128 are a burst of clients, and the
/// next one's system tries again after a whole second.
#[cfg(unix)]
const WAITING: i32 = 4096;

/// Listens at an address.
///
/// # Errors
/// The address cannot be used.
pub(crate) fn bind(address: impl ToSocketAddrs) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    #[cfg(unix)]
    rustix::net::listen(&listener, WAITING)?;
    Ok(listener)
}
