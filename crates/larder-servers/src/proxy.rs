//! A way to a server on which things go wrong.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::link::{self, Link};

/// Stands in front of a server, takes connections on a port of its own and passes on what goes either
/// way, in order: late, in part, changed or not at all, as it is told. Without being told, all and at
/// once. It ends with all its connections when it is dropped.
///
/// What is told counts for all connections from then on, those that stand included.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    state: Arc<State>,
}

/// What a proxy does to what it passes on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// Swallows what the client sends and what the server answers; connections stand. As a link that is
    /// half open.
    Swallow,
    /// Swallows the answers only: the server does what it is asked to.
    SwallowAnswers,
    /// Closes each connection, and every new one.
    Refuse,
}

/// What is done once, to the next answer on any connection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Once {
    /// Sends these bytes in front of it: another answer, or what is none.
    Before(Vec<u8>),
    /// Sends so many of its bytes and closes the connection.
    Cut(usize),
    /// Swallows it.
    Swallow,
}

/// What connections and those who tell share.
#[derive(Debug)]
pub(crate) struct State {
    /// The server; none, if the proxy has ended.
    server: Mutex<Option<SocketAddr>>,
    told: Mutex<Told>,
    links: Mutex<Vec<Link>>,
    connections: AtomicU64,
    heard: Mutex<Option<Vec<u8>>>,
}

#[derive(Debug, Default)]
struct Told {
    delay: Duration,
    fault: Fault,
    once: Option<Once>,
}

impl Proxy {
    /// Stands in front of what listens on this port of the loopback.
    ///
    /// # Panics
    /// When no port is free.
    #[must_use]
    pub fn new(server: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let state = Arc::new(State {
            server: Mutex::new(Some((Ipv4Addr::LOCALHOST, server).into())),
            told: Mutex::default(),
            links: Mutex::default(),
            connections: AtomicU64::new(0),
            heard: Mutex::default(),
        });
        let served = state.clone();
        thread::spawn(move || serve(&listener, &served));
        Self { port, state }
    }

    /// Its port.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The address of the server behind it.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Hands on to another server from now on; connections that stand stay where they are.
    pub fn lead_to(&self, server: u16) {
        *lock(&self.state.server) = Some((Ipv4Addr::LOCALHOST, server).into());
    }

    /// Each way takes this long, whatever passes; order is kept.
    pub fn delay(&self, delay: Duration) {
        lock(&self.state.told).delay = delay;
    }

    /// Does this from now on.
    pub fn fault(&self, fault: Fault) {
        let refuse = fault == Fault::Refuse;
        lock(&self.state.told).fault = fault;
        if refuse {
            self.cut();
        }
    }

    /// Does this to the next answer.
    pub fn once(&self, once: Once) {
        lock(&self.state.told).once = Some(once);
    }

    /// Whether what was to be done [once](Self::once) has been done.
    #[must_use]
    pub fn is_done(&self) -> bool {
        lock(&self.state.told).once.is_none()
    }

    /// Closes all connections that stand.
    pub fn cut(&self) {
        for link in lock(&self.state.links).drain(..) {
            link.close();
        }
    }

    /// How many connections there were.
    #[must_use]
    pub fn connections(&self) -> u64 {
        self.state.connections.load(Ordering::Relaxed)
    }

    /// Keeps a copy of all that passes either way from now on.
    pub fn record(&self) {
        *lock(&self.state.heard) = Some(Vec::new());
    }

    /// All that has passed since [`record`](Self::record).
    #[must_use]
    pub fn recorded(&self) -> Vec<u8> {
        lock(&self.state.heard).clone().unwrap_or_default()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        *lock(&self.state.server) = None;
        self.cut();
        // It waits for a connection.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

impl State {
    pub(crate) fn delay(&self) -> Duration {
        lock(&self.told).delay
    }

    pub(crate) fn fault(&self) -> Fault {
        lock(&self.told).fault.clone()
    }

    /// What is to be done once, if it is not done yet.
    pub(crate) fn take_once(&self) -> Option<Once> {
        lock(&self.told).once.take()
    }

    pub(crate) fn hear(&self, bytes: &[u8]) {
        if let Some(heard) = &mut *lock(&self.heard) {
            heard.extend_from_slice(bytes);
        }
    }

    fn connect(self: &Arc<Self>, client: TcpStream) -> io::Result<bool> {
        // Over all of it: who cuts must find each connection that somebody has.
        let mut links = lock(&self.links);
        let server = *lock(&self.server);
        let Some(server) = server else {
            return Ok(false);
        };
        self.connections.fetch_add(1, Ordering::Relaxed);
        // A refused client's connection, or one whose server is down, ends here.
        if self.fault() != Fault::Refuse {
            let link = Link::new(client, TcpStream::connect(server)?);
            links.retain(Link::stands);
            links.push(link.clone());
            link::pass(&link, self)?;
        }
        Ok(true)
    }
}

fn serve(listener: &TcpListener, state: &Arc<State>) {
    for client in listener.incoming().flatten() {
        if matches!(state.connect(client), Ok(false)) {
            return;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
