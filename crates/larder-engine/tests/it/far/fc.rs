//! What the suite of FusionCache checks, in each arrangement of tiers.

mod basics;
mod levels;
mod tags;

use larder_engine::{Cache, CacheBuilder};
use larder_kit::Virtual;

use super::support::{beat, larder, shelf};
use crate::support::{Numbers, TTL, numbers};

type Set = fn(CacheBuilder<u64, u64>) -> CacheBuilder<u64, u64>;

/// Runs a check on a cache that is near only, far only and both.
fn each(check: impl Fn(&Virtual, &Numbers)) {
    each_with(|cache| cache, check);
}

/// Runs it on caches that would fall back to old values.
fn each_with_a_window(check: impl Fn(&Virtual, &Numbers)) {
    each_with(|cache| cache.stale(TTL), check);
}

fn each_with(set: Set, check: impl Fn(&Virtual, &Numbers)) {
    let time = Virtual::new();
    check(&time, &set(numbers(&time)).build().unwrap());
    let builds: [Set; 2] = [CacheBuilder::far_only, CacheBuilder::far];
    for build in builds {
        let time = Virtual::new();
        let cache = larder(&time, &shelf(&time)).cache("numbers").ttl(TTL);
        let cache: Cache<u64, u64> = set(build(cache)).build().unwrap();
        beat(&time);
        check(&time, &cache);
    }
}
