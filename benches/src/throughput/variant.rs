//! What is compared.

use crate::seeds::blocking::Way;

/// What a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    /// Three values are written.
    Writes,
    /// One cached value is read.
    Reads,
}

/// How it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    /// A thread for each user; three writes are three trips.
    Blocking(Way),
    /// The same, three writes in one trip.
    Pipelined,
    /// Three writes as one batch over the connection of larder-redis.
    Batch,
    /// Three writes by its store, all under way at once.
    Joined,
    /// Three writes by `put_many` of a cache: guarded, and told to other nodes.
    Cache,
    /// A cache that lies in the server alone.
    Far,
    /// The same with memory before it.
    Near,
}

use Variant::{Batch, Blocking, Cache, Far, Joined, Near, Pipelined};

pub(super) const SHARED: Variant = Blocking(Way::Shared);
pub(super) const POOL: Variant = Blocking(Way::Pool(8));
pub(super) const EACH: Variant = Blocking(Way::Each);

impl Case {
    pub(super) const ALL: [Self; 2] = [Self::Writes, Self::Reads];

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Writes => "writes",
            Self::Reads => "reads",
        }
    }

    /// The baselines come first.
    pub(super) const fn variants(self) -> &'static [Variant] {
        match self {
            Self::Writes => &[SHARED, POOL, EACH, Pipelined, Batch, Joined, Cache],
            Self::Reads => &[SHARED, POOL, EACH, Far, Near],
        }
    }

    pub(super) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|case| case.word() == word)
    }
}

impl Variant {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Blocking(Way::Shared) => "blocking, one shared connection",
            Blocking(Way::Pool(_)) => "blocking, pool of 8",
            Blocking(Way::Each) => "blocking, connection per thread",
            Pipelined => "blocking, per thread, one pipeline",
            Batch => "larder-redis, one batch",
            Joined => "larder-redis, three puts joined",
            Cache => "larder, put_many of a far cache",
            Far => "larder, far only",
            Near => "larder, near and far",
        }
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Blocking(Way::Shared) => "shared",
            Blocking(Way::Pool(_)) => "pool",
            Blocking(Way::Each) => "each",
            Pipelined => "pipelined",
            Batch => "batch",
            Joined => "joined",
            Cache => "cache",
            Far => "far",
            Near => "near",
        }
    }

    /// One of a case.
    pub(super) fn parse(case: Case, word: &str) -> Option<Self> {
        let mut all = case.variants().iter().copied();
        all.find(|variant| variant.word() == word)
    }
}
