//! Callers of a cache while something fails below it, and what they see of that.

mod seen;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use larder::{Cache, Change, Fetched, Larder, Outcome, Runtime, Smol, Why};
use larder_core::{Clock, Moment};
use larder_redis::{Connection, Redis, Settings};
use larder_servers::{Server, until};
use smol::{LocalExecutor, block_on};

pub(crate) use seen::Seen;

/// Callers without a pause of a cache that asks the far tier at each call, and one who changes the
/// source and invalidates what it has changed.
pub(crate) struct Callers {
    wire: Arc<Connection>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    cache: Cache<u64, u64>,
    runtime: Arc<dyn Runtime>,
    clock: Clock,
    source: [Key; KEYS],
    seen: Mutex<Seen>,
    changing: AtomicBool,
    over: AtomicBool,
    _larder: Larder,
}

#[derive(Default)]
struct Key {
    /// What the source says.
    version: AtomicU64,
    /// No call that starts now may give less.
    least: AtomicU64,
    /// When something was last given by the far tier, or taken by it.
    served: Mutex<Option<Moment>>,
    changed: Mutex<Option<Moment>>,
}

pub(crate) const KEYS: usize = 32;
const CALLERS: usize = 6;
/// Between two calls of one caller.
const PAUSE: Duration = Duration::from_millis(1);

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
        let shared = Arc::new(Shared {
            cache,
            clock: runtime.clock(),
            runtime,
            source: std::array::from_fn(|_| Key::default()),
            seen: Mutex::default(),
            changing: AtomicBool::new(true),
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
        let changing = self.shared.changing.load(Ordering::Relaxed);
        until("a far tier that serves all keys", || {
            let keys = self.shared.source.iter().enumerate();
            let mut keys = keys.filter(|(number, _)| counts(*number));
            let all = keys.all(|(_, key)| since(&key.served) && (!changing || since(&key.changed)));
            all.then_some(())
        });
    }

    /// Nothing is changed from now on, and what was changed is known to the far tier.
    pub(crate) fn stop_changing(&self) {
        self.shared.changing.store(false, Ordering::Relaxed);
        self.until_served();
    }

    pub(crate) fn change_again(&self) {
        self.shared.changing.store(true, Ordering::Relaxed);
    }

    /// Lets a fault happen when what was acknowledged is known to the replicas as well: what is not may be
    /// lost with its master. Then waits until all is as before, and says what was seen of it.
    #[expect(clippy::print_stdout, reason = "the figures of the documentation")]
    pub(crate) fn through(
        &self,
        what: &str,
        master: &Server,
        replicas: &[&Server],
        fault: impl FnOnce(),
    ) {
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
        seen.is_fine();
    }

    /// How often a connection was made.
    pub(crate) fn connected(&self) -> u64 {
        self.wire.health().counts.connected
    }

    /// What they have seen since this was last asked.
    pub(crate) fn seen(&self) -> Seen {
        std::mem::take(&mut *self.shared.seen.lock().unwrap())
    }
}

/// Waits until replicas have what their master has now.
fn copied(master: &Server, replicas: &[&Server]) {
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

impl Shared {
    fn run(self: Arc<Self>) {
        let executor = LocalExecutor::new();
        let tasks: Vec<_> = (0..CALLERS as u64)
            .map(|caller| executor.spawn(self.call(caller)))
            .chain([executor.spawn(self.change())])
            .collect();
        block_on(executor.run(async {
            for task in tasks {
                task.await;
            }
        }));
    }

    async fn call(self: &Arc<Self>, caller: u64) {
        let mut random = fastrand::Rng::with_seed(caller);
        while !self.over.load(Ordering::Relaxed) {
            let number = random.usize(..KEYS);
            let key = &self.source[number];
            let least = key.least.load(Ordering::SeqCst);
            let began = self.clock.now();
            let source = Arc::clone(self);
            // Not before it is called: it is the source that it reads.
            let load = move || async move { source.source[number].version.load(Ordering::SeqCst) };
            let end = self.cache.fetch(&(number as u64), load).await;
            self.note(number, least, began, end);
            self.runtime.sleep(PAUSE).await;
        }
    }

    fn note(
        &self,
        number: usize,
        least: u64,
        began: Moment,
        end: Result<Fetched<u64>, larder::LoadError>,
    ) {
        let now = self.clock.now();
        let mut seen = self.seen.lock().unwrap();
        seen.calls += 1;
        seen.longest = seen.longest.max(now.since(began));
        let fetched = match end {
            Ok(fetched) => fetched,
            Err(error) => return seen.errors.push(error.to_string()),
        };
        if fetched.value < least {
            let Fetched { value, outcome, .. } = &fetched;
            seen.wrong
                .push(format!("{number}: {value} < {least}: {outcome:?}"));
        }
        let (how, served) = match fetched.outcome {
            Outcome::Loaded { why, .. } => (why.name(), !matches!(why, Why::FarDown | Why::Fenced)),
            Outcome::Far { .. } => ("far", true),
            other => (other.detail(), false),
        };
        *seen.how.entry(how).or_default() += 1;
        if served {
            *self.source[number].served.lock().unwrap() = Some(now);
        } else if how != "joined" {
            let first = seen.past.map_or(now, |(first, _)| first);
            seen.past = Some((first, now));
            *seen.keys.entry(number).or_default() += 1;
        }
    }

    async fn change(&self) {
        let mut random = fastrand::Rng::with_seed(99);
        while !self.over.load(Ordering::Relaxed) {
            self.runtime.sleep(PAUSE).await;
            if !self.changing.load(Ordering::Relaxed) {
                continue;
            }
            let number = random.usize(..KEYS);
            let key = &self.source[number];
            let version = key.version.fetch_add(1, Ordering::SeqCst) + 1;
            let began = self.clock.now();
            let change = self.cache.invalidate(&(number as u64)).await;
            key.least.store(version, Ordering::SeqCst);
            let now = self.clock.now();
            let mut seen = self.seen.lock().unwrap();
            seen.change = seen.change.max(now.since(began));
            match change {
                Change::Done => *key.changed.lock().unwrap() = Some(now),
                _ => seen.queued += 1,
            }
        }
    }
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
