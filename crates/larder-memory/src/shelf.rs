//! The byte store in this process.

mod bus;
mod change;
mod container;
mod guarded;
mod keys;
mod limits;
mod name;
mod post;
mod read;
mod room;
mod store;
mod sweep;
mod ticket;
mod token;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fastrand::Rng;
use larder_core::far::{FarError, Space};
use larder_core::{BoxFuture, Runtime};

use keys::Keys;
use post::Post;
use room::Room;

pub use limits::Limits;

/// A byte store in this process, with every ability of a far tier; clones are the same store, and
/// several larders may share one.
///
/// It is the far tier to embed and to test with, and the reference for others: the same keys as on
/// a server (entries, tokens, numbers), the same rules, and an operation is one step under one
/// lock, so it is a plain reading of `docs/invalidation`. Every key has an end and can be evicted;
/// what loses its token is dead and never comes back.
///
/// No future waits (but that of a purge) and none fails; to drop one that was not polled is to do
/// nothing. An operation costs a lock and a few look-ups, with an allocation for each name.
///
/// ```
/// # use std::time::Duration;
/// # use larder_core::far::{FarError, Guarded, Part, Space, Stored, Want};
/// # use larder_memory::Shelf;
/// # async fn example(runtime: &dyn larder_core::Runtime) -> Result<(), FarError> {
/// let shelf = Shelf::new(runtime);
/// let space = Space::new("deals".into(), 1, 7);
/// let read = shelf.read(&space, &[b"5"], &[], Want::Load).await?;
/// let ticket = read[0].ticket.as_ref().expect("a load gets one");
/// shelf.invalidate(&space, &[b"5"]).await?;
/// let part = Part { bytes: "old".into(), tags: &[], ends: Duration::from_secs(9) };
/// assert_eq!(shelf.store_if(&space, b"5", ticket, part).await?, Stored::Refused);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Shelf(Arc<Mutex<Inner>>);

struct Inner {
    keys: Keys,
    random: Rng,
    post: Post,
}

impl Shelf {
    /// An empty store with the default [`Limits`]. It takes its time and the seed of its tokens
    /// from the runtime, now and never again.
    #[must_use]
    pub fn new(runtime: &dyn Runtime) -> Self {
        Self::with_limits(runtime, Limits::default())
    }

    /// As [`new`](Self::new), with limits of its own.
    #[must_use]
    pub fn with_limits(runtime: &dyn Runtime, limits: Limits) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            keys: Keys::new(limits, runtime.clock()),
            random: Rng::with_seed(runtime.random()),
            post: Post::default(),
        })))
    }

    /// How many keys it keeps, some of them expired and not swept yet: each change looks at a few.
    #[must_use]
    pub fn keys(&self) -> usize {
        self.lock().keys.len()
    }

    /// About how many bytes they take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.lock().keys.bytes()
    }

    /// One operation on a cache, in one step, at the first poll. What the operation brought along
    /// is dropped by its caller: that runs code of others.
    fn far<'a, T>(
        &'a self,
        space: &'a Space,
        turn: impl Fn(&mut Room<'_>) -> T + Send + 'a,
    ) -> BoxFuture<'a, Result<T, FarError>> {
        Box::pin(async move { Ok(self.room(space, &turn)) })
    }

    /// One operation on a cache, in one step.
    fn room<T>(&self, space: &Space, turn: impl FnOnce(&mut Room<'_>) -> T) -> T {
        self.locked(|inner| {
            turn(&mut Room {
                keys: &mut inner.keys,
                random: &mut inner.random,
                post: &mut inner.post,
                space,
            })
        })
    }

    /// One operation, in one step. What it removed is dropped and what it sent is given out after
    /// the lock is: both run code of others.
    fn locked<T>(&self, turn: impl FnOnce(&mut Inner) -> T) -> T {
        let mut inner = self.lock();
        inner.keys.begin();
        let done = turn(&mut inner);
        inner.keys.tidy();
        let gone = inner.keys.take_gone();
        let deliver = inner.post.claim();
        drop(inner);
        drop(gone);
        if deliver {
            self.deliver();
        }
        done
    }

    fn deliver(&self) {
        loop {
            let next = self.lock().post.next();
            let Some((note, sinks)) = next else {
                return;
            };
            for sink in sinks {
                note.give(sink);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Shelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Shelf");
        out.field("keys", &self.keys());
        out.field("bytes", &self.bytes()).finish()
    }
}
