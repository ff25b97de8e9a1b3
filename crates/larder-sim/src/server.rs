//! A model of Redis as far as larder uses it.

mod command;
mod keyspace;
mod pattern;
mod refusal;
mod replica;
mod scan;
mod script;
mod set;
mod slot;
mod state;
mod turn;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use larder_core::{Clock, Runtime};
use larder_redis::{Call, Reply, Request, Route};

use keyspace::{Data, Kept};
use state::State;
use turn::Turn;

pub(crate) use slot::slot;

/// A model of a Redis server, or of a whole cluster, in virtual time; clones are the same server.
///
/// A request runs in one step. Nothing is kept back of what a real server does to a cache: keys end
/// by the server's clock, any key may be evicted, the server may be full, read-only, started anew
/// without its data, or replaced by a replica that lags behind and so never heard of writes that were
/// acknowledged.
///
/// A cluster is one space of names here: what tells it from a single server is that no request may
/// touch two slots, so that requests that belong together run one by one, in any order.
#[derive(Clone)]
pub struct Server(Arc<Inner>);

struct Inner {
    clock: Clock,
    state: Mutex<State>,
    ears: Mutex<Vec<Weak<dyn Listener>>>,
}

/// Who hears what is published on a server.
pub(crate) trait Listener: Send + Sync {
    /// Something was published. Called after the request that did it has run, in order.
    fn published(self: Arc<Self>, channel: &Bytes, text: &Bytes);

    /// On a cluster: an entry was deleted, or written anew, by a request that tells nobody.
    fn deleted(&self, _name: &Bytes) {}
}

impl Server {
    /// An empty server that takes its time from the runtime.
    #[must_use]
    pub fn new(runtime: &dyn Runtime) -> Self {
        Self::build(runtime, false)
    }

    /// An empty cluster.
    #[must_use]
    pub fn cluster(runtime: &dyn Runtime) -> Self {
        Self::build(runtime, true)
    }

    fn build(runtime: &dyn Runtime, cluster: bool) -> Self {
        Self(Arc::new(Inner {
            clock: runtime.clock(),
            state: Mutex::new(State::new(cluster)),
            ears: Mutex::default(),
        }))
    }

    /// Whether it is a cluster.
    #[must_use]
    pub fn is_cluster(&self) -> bool {
        self.lock().cluster
    }

    /// Runs a request, and gives its reply.
    #[must_use]
    pub fn run(&self, request: &Request) -> Reply {
        let run = |turn: &mut Turn<'_>| {
            if let Route::Master(master) = request.route() {
                turn.master = Some(*master);
            }
            match request.call() {
                Call::Command { name, args } => turn.command(name, args),
                Call::Script { script, keys, args } => turn.script(script.name(), keys, args),
            }
        };
        let reply = self.turn(|turn| run(turn).unwrap_or_else(Reply::from));
        if self.is_cluster() {
            self.tell_of_deletions(request);
        }
        reply
    }

    fn tell_of_deletions(&self, request: &Request) {
        let names = match request.call() {
            Call::Command {
                name: "UNLINK",
                args,
            } => args,
            Call::Script { script, keys, .. } if ["put", "expire"].contains(&script.name()) => keys,
            _ => return,
        };
        for listener in self.listeners() {
            names.iter().for_each(|name| listener.deleted(name));
        }
    }

    fn listeners(&self) -> Vec<Arc<dyn Listener>> {
        let ears = lock(&self.0.ears);
        ears.iter().filter_map(Weak::upgrade).collect()
    }

    /// How many servers hold keys.
    #[must_use]
    pub fn masters(&self) -> usize {
        if self.is_cluster() { slot::MASTERS } else { 1 }
    }

    /// Runs a plain command, its name in capitals, and gives its reply.
    pub fn command(&self, name: &str, words: &[Bytes]) -> Reply {
        self.turn(|turn| turn.command(name, words).unwrap_or_else(Reply::from))
    }

    /// Runs one of the adapter's scripts by its name, and gives its reply.
    pub fn script(&self, name: &str, keys: &[Bytes], args: &[Bytes]) -> Reply {
        self.turn(|turn| turn.script(name, keys, args).unwrap_or_else(Reply::from))
    }

    /// From now on `listener` hears what is published, until it is gone.
    pub(crate) fn listen(&self, listener: Weak<dyn Listener>) {
        let mut ears = lock(&self.0.ears);
        ears.retain(|ear| ear.strong_count() > 0);
        ears.push(listener);
    }

    /// The names of all that can be read now, in order.
    #[must_use]
    pub fn names(&self) -> Vec<Bytes> {
        self.turn(|turn| {
            let alive = turn.state.keys.alive(turn.now);
            alive.map(|(name, _)| name.clone()).collect()
        })
    }

    /// The text under a name and the milliseconds that it is kept, if it ends. A foreign type is
    /// nothing.
    #[must_use]
    pub fn peek(&self, name: &[u8]) -> Option<(Bytes, Option<u64>)> {
        self.turn(|turn| {
            let kept = turn.find(name)?;
            match &kept.data {
                Data::Text(text) => Some((text.clone(), kept.left(turn.now))),
                Data::Foreign => None,
            }
        })
    }

    /// Evicts a key, as a server may at any time, and says if it was there.
    pub fn evict(&self, name: &[u8]) -> bool {
        self.turn(|turn| {
            let there = turn.find(name).is_some();
            turn.write(&Bytes::copy_from_slice(name), None);
            there
        })
    }

    /// Another program puts a value of another type under a name.
    pub fn plant_foreign(&self, name: &[u8]) {
        self.plant(name, Data::Foreign);
    }

    /// Another program puts these bytes under a name.
    pub fn plant_text(&self, name: &[u8], text: &Bytes) {
        self.plant(name, Data::Text(text.clone()));
    }

    fn plant(&self, name: &[u8], data: Data) {
        let kept = Kept { data, ends: None };
        self.turn(|turn| turn.write(&Bytes::copy_from_slice(name), Some(kept)));
    }

    /// Sets whether its memory is full: commands that may take memory are refused, those of a script
    /// only before it has written.
    pub fn set_full(&self, full: bool) {
        self.lock().full = full;
    }

    /// Sets whether it refuses to write, as a master does that has become a replica.
    pub fn set_read_only(&self, read_only: bool) {
        self.lock().read_only = read_only;
    }

    /// The server's clock jumps forward, or back: keys end by the clock of the wall.
    pub fn jump_clock(&self, by: Duration, back: bool) {
        let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        self.lock().ahead += if back { -by } else { by };
    }

    /// It starts anew without its data; the replica is emptied with it, as one is that follows.
    pub fn lose_data(&self) {
        let mut state = self.lock();
        state.keys.clear();
        state.replica.clear();
    }

    /// Sets how far the replica is behind from now on; `None`: nothing reaches it any more.
    pub fn set_lag(&self, lag: Option<Duration>) {
        let lag = lag.map(|lag| u64::try_from(lag.as_millis()).unwrap_or(u64::MAX));
        self.turn(|turn| turn.state.replica.set_lag(lag, turn.now));
    }

    /// The replica takes the master's place: what had not reached it is lost, though it may have been
    /// acknowledged. A new replica follows it at once.
    pub fn fail_over(&self) {
        self.turn(|turn| {
            turn.state.keys = turn.state.replica.take_over(turn.now);
            turn.state.read_only = false;
        });
    }

    /// One request, in one step; what it published is heard after it.
    fn turn<T>(&self, run: impl FnOnce(&mut Turn<'_>) -> T) -> T {
        let mut state = self.lock();
        let now = self.0.clock.now().as_nanos() / 1_000_000;
        let now = now.saturating_add_signed(state.ahead);
        let mut turn = Turn::new(&mut state, now);
        let done = run(&mut turn);
        let published = std::mem::take(&mut turn.published);
        drop(state);
        if !published.is_empty() {
            self.tell(&published);
        }
        done
    }

    fn tell(&self, published: &[(Bytes, Bytes)]) {
        let ears = self.listeners();
        for (channel, text) in published {
            for ear in &ears {
                Arc::clone(ear).published(channel, text);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.0.state)
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = self.names().len();
        f.debug_struct("Server")
            .field("keys", &keys)
            .finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
