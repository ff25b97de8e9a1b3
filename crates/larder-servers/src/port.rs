//! Ports of the loopback.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::process;
use std::sync::atomic::{AtomicU16, Ordering};

/// A free port, held for one server as long as this lives, also while the server is down.
#[derive(Debug)]
pub(crate) struct Port {
    number: u16,
    _held: Option<TcpListener>,
}

impl Port {
    /// A port that nobody listens on and that no other server of these tests has. The port 10000 above,
    /// on which a node of a cluster talks to others, is then free as well.
    pub(crate) fn free() -> io::Result<Self> {
        static NEXT: AtomicU16 = AtomicU16::new(0);
        // Processes begin far from each other, so that they rarely meet.
        let first = process::id().wrapping_mul(613);
        for _ in 0..COUNT {
            let next = u32::from(NEXT.fetch_add(1, Ordering::Relaxed));
            let place = first.wrapping_add(next) % u32::from(COUNT);
            let number = FIRST + u16::try_from(place).unwrap_or_default();
            if let Some(port) = Self::hold(number) {
                return Ok(port);
            }
        }
        Err(io::ErrorKind::AddrInUse.into())
    }

    fn hold(number: u16) -> Option<Self> {
        TcpListener::bind((Ipv4Addr::LOCALHOST, number)).ok()?;
        match TcpListener::bind((HOLDER, number)) {
            Ok(held) => Some(Self {
                number,
                _held: Some(held),
            }),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => None,
            // A system whose loopback is one address alone: then a port may go to somebody else while
            // its server is down.
            Err(_) => Some(Self {
                number,
                _held: None,
            }),
        }
    }

    pub(crate) const fn number(&self) -> u16 {
        self.number
    }
}

/// Below the ports that connections leave from: one of those might connect to itself on a port whose
/// server is down, and then hold it.
const FIRST: u16 = 11_000;
const COUNT: u16 = 10_000;
/// Another address of the loopback: who listens there keeps other tests away, and no server's port busy.
const HOLDER: Ipv4Addr = Ipv4Addr::new(127, 76, 82, 68);
