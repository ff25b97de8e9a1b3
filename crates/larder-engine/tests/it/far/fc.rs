//! What the suite of FusionCache checks, in each arrangement of tiers.

mod basics;
mod levels;
mod tags;

use larder_engine::{Cache, CacheBuilder};
use larder_kit::Virtual;

use super::support::{beat, larder, shelf};
use crate::support::{Numbers, TTL, numbers};

/// Runs a check on a cache that is near only, far only and both.
fn each(check: impl Fn(&Virtual, &Numbers)) {
    let time = Virtual::new();
    check(&time, &numbers(&time).build().unwrap());
    let builds: [fn(CacheBuilder<u64, u64>) -> _; 2] = [CacheBuilder::far_only, CacheBuilder::far];
    for build in builds {
        let time = Virtual::new();
        let cache: Cache<u64, u64> = build(larder(&time, &shelf(&time)).cache("numbers").ttl(TTL))
            .build()
            .unwrap();
        beat(&time);
        check(&time, &cache);
    }
}
