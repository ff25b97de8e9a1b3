//! What is compared.

/// How a value is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    /// The tool that comes with the server: what a server and one connection after another can do.
    Tool,
    /// The same tool with the commands of a far hit: what there is to win by asking better.
    Both,
    /// The `redis` crate on smol: a plain GET.
    Crate,
    /// A plain GET over the connection of larder-redis.
    Wire,
    /// Its store: the time left, and a GET.
    Store,
    /// `get` of a cache that lies in the server alone: the time left, the entry, and what guards it.
    Get,
    /// The same by `get_or_load`, as functions do it: one for all who ask for the key meanwhile.
    Far,
}

use Variant::{Both, Crate, Far, Get, Store, Tool, Wire};

impl Variant {
    pub(super) const ALL: [Self; 7] = [Tool, Both, Crate, Wire, Store, Get, Far];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Tool => "redis-benchmark, GET",
            Both => "redis-benchmark, PTTL and MGET",
            Crate => "redis crate on smol, GET",
            Wire => "larder-redis, GET",
            Store => "larder-redis, get of its store",
            Get => "larder, far hit by get",
            Far => "larder, far hit by get_or_load",
        }
    }

    /// Whether it is the tool that reads, in a process of its own.
    pub(super) const fn is_tool(self) -> bool {
        matches!(self, Tool | Both)
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Tool => "tool",
            Both => "both",
            Crate => "crate",
            Wire => "wire",
            Store => "store",
            Get => "get",
            Far => "far",
        }
    }

    pub(super) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|variant| variant.word() == word)
    }
}
