//! Values that are too large for the far tier.

use std::sync::Arc;

use larder_codec::{Postcard, Schema};
use larder_core::far::{Guarded, Space, Want};
use larder_engine::Got;
use larder_kit::Virtual;

use super::support::{beat, larder, shelf};
use crate::support::{SECOND, TTL};

#[test]
fn bug_f5_fc61_a_value_of_the_limit_is_stored_and_one_byte_more_is_not() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let cache = |name: &str, most: Option<usize>| {
        let cache = larder(&time, &shelf)
            .cache::<u64, String>(name)
            .ttl(TTL)
            .far();
        let cache = cache.max_frame(most.unwrap_or(1 << 20));
        cache.build().unwrap()
    };
    let free = cache("free", None);
    let value = Arc::new("x".repeat(1000));
    let schema = Schema::traced::<String>(&Postcard).unwrap().bits();
    let size = time.block_on(async {
        let _ = free.put(&1, Arc::clone(&value)).await;
        let space = Space::new("free".into(), 1, schema);
        let read = shelf.read(&space, &[b"1"], &[], Want::Look).await.unwrap();
        read[0].found.as_ref().unwrap().bytes.len()
    });
    beat(&time);
    for (name, most, stored) in [("fits", size, true), ("over", size - 1, false)] {
        let (one, two) = (cache(name, Some(most)), cache(name, Some(most)));
        beat(&time);
        let held = Arc::clone(&value);
        let got = time.block_on(one.get_or_load(&1, || async move { held }));
        assert_eq!(got.unwrap(), value, "{name}: its caller gets it");
        let far = one.stats().far_tier.unwrap();
        assert_eq!(far.unfit, u64::from(!stored), "{name}");
        let there = time.block_on(two.get(&1));
        assert_eq!(there != Got::Unknown, stored, "{name}");
        assert_ne!(
            time.block_on(one.get(&1)),
            Got::Unknown,
            "{name}: near has no such limit"
        );
        // A put that does not fit ends what was there.
        let _ = time.block_on(one.put(&1, Arc::clone(&value)));
        assert_eq!(time.block_on(two.get(&1)) != Got::Unknown, stored, "{name}");
    }
}

#[test]
fn bug_f5_five_mebibytes_are_given_and_not_stored() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let build = || {
        let larder = larder(&time, &shelf);
        larder
            .cache::<u64, String>("texts")
            .ttl(TTL)
            .far_only()
            .build()
            .unwrap()
    };
    let (texts, elsewhere) = (build(), build());
    let load = || async { "x".repeat(5 << 20) };
    let text = time.block_on(texts.get_or_load(&1, load)).unwrap();
    assert_eq!(text.len(), 5 << 20);
    assert_eq!(texts.stats().far_tier.unwrap().unfit, 1);
    assert_eq!(time.block_on(elsewhere.get(&1)), Got::Unknown);
    time.advance(SECOND);
    assert!(
        shelf.bytes() < 4096,
        "and its token was let go: {} bytes",
        shelf.bytes()
    );
}
