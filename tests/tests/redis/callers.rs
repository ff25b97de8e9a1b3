//! Callers of a cache while something fails below it, and what they see of that.

mod seen;
mod shared;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use larder::{Cache, Larder, Runtime, Smol};
use larder_core::Moment;
use larder_redis::{Connection, Redis, Settings};
use larder_servers::{Server, until};

pub(crate) use seen::Seen;
use shared::{Key, Shared};

/// Callers without a pause of a cache that asks the far tier at each call, and of one that holds its
/// values near as well; and one who changes the source and invalidates in both what it has changed.
pub(crate) struct Callers {
    wire: Arc<Connection>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

pub(crate) const KEYS: usize = 32;

impl Callers {
    /// Starts them over what a URL names, and waits until the far tier serves them all.
    pub(crate) fn start(url: &str) -> Self {
        let runtime: Arc<dyn Runtime> = Arc::new(Smol::global());
        let settings = Settings::parse(url).unwrap();
        let wire = Arc::new(Connection::open(settings, runtime.clone()).unwrap());
        let redis = Redis::over(wire.clone(), runtime.clone(), "larder");
        let larder = Larder::builder().far(redis).build().unwrap();
        let ttl = Duration::from_secs(3600);
        let cache = larder.cache("deals").ttl(ttl).far_only().build().unwrap();
        let near = larder.cache("prices").ttl(ttl).far().build().unwrap();
        let shared = Arc::new(Shared {
            cache,
            near,
            clock: runtime.clock(),
            runtime,
            source: std::array::from_fn(|_| Key::default()),
            seen: Mutex::default(),
            changing: AtomicBool::new(true),
            under_way: AtomicBool::new(false),
            over: AtomicBool::new(false),
            _larder: larder,
        });
        let run = Arc::clone(&shared);
        let thread = Some(thread::spawn(move || run.run()));
        let callers = Self {
            wire,
            shared,
            thread,
        };
        callers.until_served();
        callers.seen();
        callers
    }

    /// Waits until every key was served by the far tier, and every key changed there, since now.
    pub(crate) fn until_served(&self) {
        self.until_served_for(|_| true);
    }

    /// As [`until_served`](Self::until_served), for the keys of which this says so.
    pub(crate) fn until_served_for(&self, counts: impl Fn(usize) -> bool) {
        let from = self.shared.clock.now();
        let since = |at: &Mutex<Option<Moment>>| at.lock().unwrap().is_some_and(|at| at > from);
        let changing = self.shared.changing.load(Ordering::SeqCst);
        until("a far tier that serves all keys", || {
            let keys = self.shared.source.iter().enumerate();
            let mut keys = keys.filter(|(number, _)| counts(*number));
            let all = keys.all(|(_, key)| since(&key.served) && (!changing || since(&key.changed)));
            all.then_some(())
        });
    }

    /// Nothing is changed from now on, and what was changed is known to the far tier.
    pub(crate) fn stop_changing(&self) {
        self.shared.changing.store(false, Ordering::SeqCst);
        let Shared {
            under_way,
            cache,
            near,
            ..
        } = &*self.shared;
        until("all changes", || {
            let waits = |cache: &Cache<_, _>| cache.stats().far_tier.unwrap().pending > 0;
            let all = !under_way.load(Ordering::SeqCst) && !waits(cache) && !waits(near);
            all.then_some(())
        });
        self.until_served();
    }

    pub(crate) fn change_again(&self) {
        self.shared.changing.store(true, Ordering::SeqCst);
    }

    /// Lets a fault happen when what was acknowledged is known to the replicas as well: what is not may be
    /// lost with its master. Then waits until all is as before, and says what was seen of it.
    pub(crate) fn through(
        &self,
        what: &str,
        master: &Server,
        replicas: &[&Server],
        fault: impl FnOnce(),
    ) {
        self.seen_through(what, master, replicas, fault).is_fine();
    }

    /// As [`through`](Self::through), for who judges what was seen.
    #[expect(clippy::print_stdout, reason = "the figures of the documentation")]
    pub(crate) fn seen_through(
        &self,
        what: &str,
        master: &Server,
        replicas: &[&Server],
        fault: impl FnOnce(),
    ) -> Seen {
        self.stop_changing();
        copied(master, replicas);
        self.seen();
        let began = self.shared.clock.now();
        fault();
        self.change_again();
        self.until_served();
        let seen = self.seen();
        let took = self.shared.clock.now().since(began);
        println!(
            "{what}: healed after {took:?}, without far {:?}: {seen:?}",
            seen.without()
        );
        seen
    }

    /// How often a connection was made.
    pub(crate) fn connected(&self) -> u64 {
        self.wire.health().counts.connected
    }

    /// How often one was made for what is published.
    pub(crate) fn listening(&self) -> u64 {
        self.wire.health().counts.listening
    }

    /// What they have seen since this was last asked.
    pub(crate) fn seen(&self) -> Seen {
        std::mem::take(&mut *self.shared.seen.lock().unwrap())
    }
}

/// Waits until replicas have what their master has now.
pub(crate) fn copied(master: &Server, replicas: &[&Server]) {
    let offset = |server: &Server, name| -> Option<u64> {
        server.line(&["INFO", "replication"], name)?.parse().ok()
    };
    let wanted = until("a master", || offset(master, "master_repl_offset"));
    until("replicas that have it all", || {
        let mut replicas = replicas.iter();
        let all = replicas.all(|replica| offset(replica, "slave_repl_offset") >= Some(wanted));
        all.then_some(())
    });
}

impl Drop for Callers {
    #[expect(
        clippy::print_stdout,
        reason = "a test that fails says how things stood"
    )]
    fn drop(&mut self) {
        if thread::panicking() {
            println!("{:?}: {:?}", self.wire.health(), self.seen());
            for (number, key) in self.shared.source.iter().enumerate() {
                println!("{number}: {:?} {:?}", key.served, key.changed);
            }
        }
        self.shared.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || thread::panicking(), "a caller panicked");
        }
    }
}
