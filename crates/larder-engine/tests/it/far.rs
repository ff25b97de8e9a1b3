//! Caches with a far tier, on stores in memory.

mod basics;
mod support;
