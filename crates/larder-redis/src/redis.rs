//! The store.

mod bus;
mod changes;
mod channel;
mod claim;
mod counts;
mod guarded;
mod making;
mod own;
mod reading;
mod replicas;
mod seen;
mod store;
mod storing;
mod sweep;
mod wait_refused;
mod watch;

use std::fmt;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use larder_core::container::Token;
use larder_core::far::{FarError, Space};
use larder_core::{Runtime, guard};

use crate::health::Health;
use crate::names::{Named, Names};
use crate::replies::Replies;
use crate::wire::{Request, Wire};
use channel::Channels;
use counts::Counters;
use replicas::Replicas;
use watch::{Watch, Watches};

pub use counts::Counts;
pub use wait_refused::WaitRefused;

/// A Redis server, or several of them, as a far tier and as a plain store; clones are the same
/// store.
///
/// It has every ability of a far tier: what it guards never comes back once it was invalidated,
/// changes are published to other nodes, and a cache can be purged. It keeps nothing of its own but
/// connections: all that is known lies in the server, and losing it there is to invalidate.
///
/// Reading is plain commands in one round trip, two if a value has tags that the reader did not name;
/// a load whose tokens are missing makes them in one more. A change is one script, or on a cluster one
/// more trip for its message. Nothing is repeated and nothing has a deadline: who calls bounds it.
#[derive(Clone)]
pub struct Redis(Arc<Inner>);

struct Inner {
    wire: Arc<dyn Wire>,
    runtime: Arc<dyn Runtime>,
    prefix: String,
    named: Named,
    channels: Channels,
    watches: Watches,
    counters: Counters,
    /// Where changes wait for replicas.
    replicas: OnceLock<Arc<Replicas>>,
}

impl Redis {
    /// The store that a wire reaches. All its keys begin with `prefix` (any text; programs that share
    /// caches share it). Tokens are random bits of the runtime.
    #[must_use]
    pub fn over(wire: Arc<dyn Wire>, runtime: Arc<dyn Runtime>, prefix: &str) -> Self {
        Self(Arc::new(Inner {
            wire,
            runtime,
            prefix: prefix.to_owned(),
            named: Named::default(),
            channels: Channels::default(),
            watches: Watches::default(),
            counters: Counters::default(),
            replicas: OnceLock::new(),
        }))
    }

    /// What was counted since the store was made.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.0.counters.read()
    }

    /// How the connection is; `None` if the wire does not know.
    #[must_use]
    pub fn health(&self) -> Option<Health> {
        self.0.wire.health()
    }

    fn names(&self, cache: &str) -> Arc<Names> {
        self.0.named.of(&self.0.prefix, cache)
    }

    /// Without a word of the schema: versions that run side by side, or after each other, share what
    /// an invalidation deletes.
    fn names_of(&self, space: &Space) -> Arc<Names> {
        guard!(
            SchemaOutsideName,
            self.names(space.cache()),
            self.names(&format!("{}-{}", space.cache(), space.schema()))
        )
    }

    /// Sends a batch, and gives its replies.
    async fn ask(&self, batch: Vec<Request>) -> Result<Replies, FarError> {
        let replies = self.0.wire.send(batch).await?;
        Ok(Replies::new(replies))
    }

    /// Counts an operation that failed because answers were of the wrong kind, and tells the wire.
    fn noted<T>(&self, end: Result<T, FarError>) -> Result<T, FarError> {
        if end.as_ref().is_err_and(is_out_of_step) {
            self.0.counters.out_of_step();
            self.0.wire.distrust();
        }
        end
    }

    fn is_cluster(&self) -> bool {
        self.0.wire.is_cluster()
    }

    fn token(&self) -> Token {
        let halves = guard!(
            TokenAtRandom,
            [self.0.runtime.random(), self.0.runtime.random()],
            [1, 2]
        );
        let mut bytes = [0; 16];
        for (into, half) in bytes.chunks_exact_mut(8).zip(halves) {
            into.copy_from_slice(&half.to_le_bytes());
        }
        Token::new(bytes)
    }

    /// A number to start with: random, so that who knows an older one sees a jump; and with room to
    /// count up.
    fn fresh(&self) -> Bytes {
        let random = (self.0.runtime.random() >> 2).max(1);
        crate::args::number(guard!(NumberAtRandom, random, 1))
    }
}

/// How many entries one script or one batch of keys touches at most: long scripts hold up others.
const MOST: usize = 64;

fn is_out_of_step(error: &FarError) -> bool {
    use std::error::Error;
    let source = error.source();
    source.is_some_and(|source| source.is::<crate::refusal::OutOfStep>())
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Redis");
        out.field("prefix", &self.0.prefix);
        out.field("cluster", &self.is_cluster()).finish()
    }
}

/// What an operation works on: the cache's place and names.
#[derive(Clone, Copy)]
struct At<'a> {
    redis: &'a Redis,
    space: &'a Space,
    names: &'a Names,
    /// Who has to know what is written to entries.
    watch: Option<&'a Watch>,
}
