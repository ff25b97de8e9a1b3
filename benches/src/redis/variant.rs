//! What is compared.

/// How a value is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    /// The tool that comes with the server: what a server and one connection after another can do.
    Tool,
    /// The `redis` crate on smol: a plain GET.
    Crate,
    /// A plain GET over the connection of larder-redis.
    Wire,
    /// Its store: the time left, and a GET.
    Store,
    /// A cache that lies in the server alone: the time left, the entry, and what guards it.
    Far,
}

use Variant::{Crate, Far, Store, Tool, Wire};

impl Variant {
    pub(super) const ALL: [Self; 5] = [Tool, Crate, Wire, Store, Far];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Tool => "redis-benchmark",
            Crate => "redis crate on smol, GET",
            Wire => "larder-redis, GET",
            Store => "larder-redis, get of its store",
            Far => "larder, far hit",
        }
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Tool => "tool",
            Crate => "crate",
            Wire => "wire",
            Store => "store",
            Far => "far",
        }
    }

    pub(super) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|variant| variant.word() == word)
    }
}
