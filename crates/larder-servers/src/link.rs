//! One connection through a proxy.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Instant;

use crate::proxy::{Fault, Once, State};

/// A client's connection and the server's that belongs to it.
#[derive(Debug, Clone)]
pub(crate) struct Link(Arc<Ends>);

#[derive(Debug)]
struct Ends {
    client: TcpStream,
    server: TcpStream,
    closed: AtomicBool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Request,
    Answer,
}

/// Bytes and when they are due; none is the end.
type Due = (Instant, Vec<u8>);

impl Link {
    pub(crate) fn new(client: TcpStream, server: TcpStream) -> Self {
        Self(Arc::new(Ends {
            client,
            server,
            closed: AtomicBool::new(false),
        }))
    }

    pub(crate) fn stands(&self) -> bool {
        !self.0.closed.load(Ordering::Relaxed)
    }

    /// Closes both ends.
    pub(crate) fn close(&self) {
        self.0.closed.store(true, Ordering::Relaxed);
        for end in [&self.0.client, &self.0.server] {
            // The other side may have been quicker.
            let _ = end.shutdown(Shutdown::Both);
        }
    }

    fn ends(&self, way: Way) -> (&TcpStream, &TcpStream) {
        match way {
            Way::Request => (&self.0.client, &self.0.server),
            Way::Answer => (&self.0.server, &self.0.client),
        }
    }
}

/// Passes on what goes either way, each on two threads: one reads and one waits, so that what is late
/// holds up nothing but what is behind it.
pub(crate) fn pass(link: &Link, state: &Arc<State>) -> io::Result<()> {
    for end in [&link.0.client, &link.0.server] {
        end.set_nodelay(true)?;
    }
    for way in [Way::Request, Way::Answer] {
        let (sender, receiver) = mpsc::channel();
        let (link, state) = (link.clone(), state.clone());
        let reading = link.clone();
        thread::spawn(move || {
            // However it ends, the other end is told when all before it has been passed on.
            let _ = read(&reading, way, &state, &sender);
        });
        thread::spawn(move || {
            let _ = write(&link, way, &receiver);
            link.close();
        });
    }
    Ok(())
}

fn read(link: &Link, way: Way, state: &State, on: &Sender<Due>) -> io::Result<()> {
    let mut from = link.ends(way).0;
    let mut buffer = vec![0; 64 << 10];
    loop {
        let count = from.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        let bytes = &buffer[..count];
        state.hear(bytes);
        let (bytes, ends) = changed(way, state, bytes);
        let due = now() + state.delay();
        if on.send((due, bytes)).is_err() || ends {
            return Ok(());
        }
    }
}

/// What is passed on instead, and whether it is the last.
fn changed(way: Way, state: &State, bytes: &[u8]) -> (Vec<u8>, bool) {
    match (state.fault(), way) {
        (Fault::Swallow, _) | (Fault::SwallowAnswers, Way::Answer) => return (Vec::new(), false),
        _ => {}
    }
    let once = (way == Way::Answer).then(|| state.take_once()).flatten();
    match once {
        None => (bytes.to_vec(), false),
        Some(Once::Before(extra)) => ([&extra, bytes].concat(), false),
        Some(Once::Cut(count)) => (bytes[..count.min(bytes.len())].to_vec(), true),
        Some(Once::Swallow) => (Vec::new(), false),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "what is late is late in real time"
)]
fn write(link: &Link, way: Way, from: &Receiver<Due>) -> io::Result<()> {
    let mut to = link.ends(way).1;
    for (due, bytes) in from {
        thread::sleep(due.saturating_duration_since(now()));
        to.write_all(&bytes)?;
    }
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "what is late is late in real time"
)]
fn now() -> Instant {
    Instant::now()
}
