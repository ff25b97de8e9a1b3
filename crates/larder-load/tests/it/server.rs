//! A server with one thread a connection, on a free port of the loopback, until the test ends.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use larder_load::Http;

pub(crate) const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A running server, and how many connections it has had.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    connections: Arc<AtomicU64>,
}

impl Server {
    /// Gives each connection to `serve`, on a thread of its own.
    pub(crate) fn start(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
        let address = listener.local_addr().expect("address");
        let connections = Arc::new(AtomicU64::new(0));
        let (serve, counted) = (Arc::new(serve), Arc::clone(&connections));
        thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                counted.fetch_add(1, Ordering::SeqCst);
                let serve = Arc::clone(&serve);
                thread::spawn(move || serve(socket));
            }
        });
        Self {
            address,
            connections,
        }
    }

    /// Answers every request over HTTP by what `answer` gives for its head.
    pub(crate) fn http(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::start(move |mut socket| {
            let mut reader = BufReader::new(socket.try_clone().expect("clone"));
            while let Some(head) = head(&mut reader) {
                if socket.write_all(&answer(&head)).is_err() {
                    return;
                }
            }
        })
    }

    pub(crate) fn target(&self) -> Http {
        Http::parse(&format!("http://{}/", self.address)).expect("a URL")
    }

    /// Without the one by which a load sees whether anybody listens.
    pub(crate) fn connections(&self) -> u64 {
        self.connections.load(Ordering::SeqCst) - 1
    }
}

/// The next head of a request, without bodies; nothing at the end.
pub(crate) fn head(reader: &mut impl BufRead) -> Option<String> {
    let mut head = String::new();
    loop {
        let read = reader.read_line(&mut head).ok()?;
        if read == 0 {
            return None;
        }
        if head.ends_with("\r\n\r\n") {
            return Some(head);
        }
    }
}
