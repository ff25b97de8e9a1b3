//! What a lease needs: the tables of wrong settings have the rest.

use larder_engine::Larder;
use larder_kit::Virtual;

use super::LEASE;
use crate::support::TTL;

#[test]
fn a_lease_says_nothing_on_a_larder_without_a_far_store() {
    let near = Larder::builder().runtime(Virtual::new()).build().unwrap();
    let cache = near
        .cache::<u64, u64>("numbers")
        .ttl(TTL)
        .far()
        .lease(LEASE);
    assert!(cache.build().is_ok());
}
