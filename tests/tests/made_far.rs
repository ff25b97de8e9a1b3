//! A cache that an attribute makes, with a far tier: a process of its own, for it installs a larder.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use larder::{Json, Larder, LoadError, Shelf, cacheable};
use larder_kit::Virtual;

#[cacheable(ttl = "1m", codec = Json, schema = 3, capacity = 10, name = "titles")]
async fn title(no: u64) -> Result<String, LoadError> {
    Ok(format!("title {no}"))
}

#[test]
fn a_made_cache_has_a_far_tier_by_its_codec_where_the_larder_has_a_store() {
    let time = Virtual::new();
    let shelf = Shelf::new(&*time.runtime());
    let larder = || {
        let larder = Larder::builder().runtime(time.clone()).far(shelf.clone());
        larder.build().unwrap()
    };
    larder().install().unwrap();
    let elsewhere = larder().cache::<u64, String>("titles");
    let elsewhere = elsewhere.ttl(Duration::from_secs(60)).codec(Json).schema(3);
    let elsewhere = elsewhere.without_near().build().unwrap();
    time.block_on(async {
        title(1).await.unwrap();
        let held = elsewhere.get(&1).await.value();
        assert_eq!(held.as_deref().map(String::as_str), Some("title 1"));
    });
    time.advance(Duration::from_secs(61));
    let held = time.block_on(elsewhere.get(&1)).value();
    assert!(held.is_none(), "its end there is the ttl of the function");
}
