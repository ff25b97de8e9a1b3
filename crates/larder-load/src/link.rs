//! A connection.

use std::cell::RefCell;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Instant;

use smol::Async;

use crate::answer::{Answer, Whole};
use crate::failure::Failure;
use crate::now::now;

/// Bytes read at once; the buffer is shared by all users of a thread, who hold none between two reads.
const PIECE: usize = 64 * 1024;

/// A connection of one user.
#[derive(Debug)]
pub(crate) struct Link(Async<TcpStream>);

/// Where bytes are read into.
#[derive(Debug)]
pub(crate) struct Buffer(RefCell<Vec<u8>>);

/// When an answer came.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Came {
    pub(crate) first: Instant,
    pub(crate) last: Instant,
}

impl Buffer {
    pub(crate) fn new() -> Self {
        Self(RefCell::new(vec![0; PIECE]))
    }
}

impl Link {
    pub(crate) async fn open(address: SocketAddr) -> io::Result<Self> {
        let socket = Async::<TcpStream>::connect(address).await?;
        // Otherwise a request in two pieces waits for the answer to the first.
        socket.get_ref().set_nodelay(true)?;
        Ok(Self(socket))
    }

    pub(crate) async fn send(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.0.get_ref().write(bytes) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.0.writable().await?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads until the answer is whole. `first` is set with its first byte, also if it fails after that.
    pub(crate) async fn receive(
        &self,
        answer: &mut Answer,
        buffer: &Buffer,
        came: &mut Option<Came>,
    ) -> Result<Whole, Failure> {
        loop {
            // Right after a request nothing is there yet: to try first would be a call in vain.
            self.0.readable().await.map_err(broke)?;
            let mut buffer = buffer.0.borrow_mut();
            let size = match self.0.get_ref().read(&mut buffer) {
                Ok(size) => size,
                Err(error) if again(&error) => continue,
                Err(error) => return Err(broke(error)),
            };
            if size > 0 {
                let last = now();
                let first = came.map_or(last, |came| came.first);
                *came = Some(Came { first, last });
            }
            if let Some(whole) = answer.feed(&buffer[..size])? {
                return Ok(whole);
            }
        }
    }
}

fn again(error: &io::Error) -> bool {
    [ErrorKind::WouldBlock, ErrorKind::Interrupted].contains(&error.kind())
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn broke(error: io::Error) -> Failure {
    Failure::Socket(error.kind())
}
