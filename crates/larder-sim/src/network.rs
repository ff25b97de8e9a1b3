//! The network between nodes and a server.

mod batch;
mod faults;
mod group;
mod link;
mod messages;
mod rules;
mod text;
mod wire;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use fastrand::Rng;
use larder_kit::Virtual;

use crate::server::Server;
use crate::trace::Trace;

pub use faults::{Faults, OneIn};
pub use link::Link;
pub use rules::{Stage, called};

/// The network between nodes and one server, in virtual time; clones are the same network.
///
/// Each node has a [`Link`] of its own: one connection for commands and one for messages, which break
/// apart from each other. What the network does wrong at random is drawn from its seed by its
/// [`Faults`]; a directed test places one fault on a link.
#[derive(Clone)]
pub struct Network(Arc<Inner>);

struct Inner {
    time: Virtual,
    server: Server,
    trace: Trace,
    state: Mutex<State>,
}

struct State {
    random: Rng,
    faults: Faults,
    links: Vec<Weak<link::Inner>>,
}

impl Network {
    /// A network without faults, to this server.
    #[must_use]
    pub fn new(time: &Virtual, server: &Server, seed: u64, trace: &Trace) -> Self {
        Self(Arc::new(Inner {
            time: time.clone(),
            server: server.clone(),
            trace: trace.clone(),
            state: Mutex::new(State {
                random: Rng::with_seed(seed),
                faults: Faults::default(),
                links: Vec::new(),
            }),
        }))
    }

    /// The server behind it.
    #[must_use]
    pub fn server(&self) -> &Server {
        &self.0.server
    }

    /// Sets what goes wrong from now on.
    pub fn set_faults(&self, faults: Faults) {
        self.lock().faults = faults;
    }

    /// The connections of a node; `node` is its name in the trace.
    #[must_use]
    pub fn link(&self, node: u64) -> Link {
        let link = Link::new(self, node);
        let mut state = self.lock();
        state.links.retain(|link| link.strong_count() > 0);
        state.links.push(link.downgrade());
        link
    }

    /// The server starts anew: every connection breaks and is made again at once.
    pub fn restart(&self, with_data: bool) {
        self.note(|| format!("server restarts, data {}", kept(with_data)));
        if !with_data {
            self.0.server.lose_data();
        }
        self.reset();
    }

    /// The server's replica takes over: every connection breaks and is made again at once.
    pub fn fail_over(&self) {
        self.note(|| "server fails over".to_owned());
        self.0.server.fail_over();
        self.reset();
    }

    /// Every connection breaks and is made again at once.
    pub fn reset(&self) {
        let links: Vec<_> = self.lock().links.iter().filter_map(Weak::upgrade).collect();
        for link in links {
            Link::of(link).reset();
        }
    }

    fn draw<T>(&self, draw: impl FnOnce(&mut Rng, Faults) -> T) -> T {
        let mut state = self.lock();
        let faults = state.faults;
        draw(&mut state.random, faults)
    }

    fn step(&self) -> Duration {
        self.draw(|random, faults| faults::up_to(faults.step, random))
    }

    fn note(&self, line: impl FnOnce() -> String) {
        self.0.trace.note(line);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.0.state)
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("server", &self.0.server)
            .field("faults", &self.lock().faults)
            .finish_non_exhaustive()
    }
}

fn kept(with_data: bool) -> &'static str {
    if with_data { "kept" } else { "lost" }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
