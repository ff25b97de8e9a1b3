//! Invalidations while a source runs.

use larder_engine::CallOptions;
use larder_kit::Virtual;

use super::source::{Lists, Tap, held, lists, ready, some};

#[derive(Debug, Clone, Copy)]
enum Change {
    Key,
    Tag,
    Clear,
    Put,
    /// Of another key, which names nothing that the source gives.
    Other,
}

const CHANGES: [Change; 5] = [
    Change::Key,
    Change::Tag,
    Change::Clear,
    Change::Put,
    Change::Other,
];

impl Change {
    fn make(self, time: &Virtual, cache: &Lists, other: u64) {
        let _ = match self {
            Self::Key => time.block_on(cache.invalidate(&1)),
            Self::Tag => time.block_on(cache.invalidate_tag("fruit")),
            Self::Clear => time.block_on(cache.clear()),
            Self::Put => time.block_on(cache.put(&1, vec![2])),
            Self::Other => time.block_on(cache.invalidate(&other)),
        };
    }
}

/// A key of another slot, by trying.
fn other(cache: &Lists) -> u64 {
    futures_lite::future::block_on(async {
        for other in 2..100 {
            cache.put(&other, vec![0]).await;
            cache.invalidate(&1).await;
            if cache.get(&other).await.value().is_some() {
                return other;
            }
        }
        panic!("no key has another slot");
    })
}

#[test]
fn i1_a_running_source_is_not_joined_after_an_invalidation_and_not_kept() {
    for change in CHANGES {
        let time = Virtual::new();
        let cache = lists(&time).build().unwrap();
        let other = other(&cache);
        let options = || CallOptions::new().tag("fruit");
        let (old, new) = (Tap::new(), Tap::new());
        let mut early = old.call_with(&cache, options());
        old.give([1]);
        assert_eq!(ready(&time, &mut early), some([1]));
        change.make(&time, &cache, other);
        if !matches!(change, Change::Put) {
            let mut late = new.call_with(&cache, options());
            new.give([2]);
            assert_eq!(ready(&time, &mut late), some([2]), "{change:?}");
            let mut later = old.call_with(&cache, options());
            assert_eq!(ready(&time, &mut later), some([2]), "{change:?}");
            new.end();
            assert_eq!(ready(&time, &mut late), [None]);
        }
        old.give([1]);
        old.end();
        // Who followed from before the change is given the rest of what it began.
        assert_eq!(ready(&time, &mut early), [Some(Ok(1)), None], "{change:?}");
        time.run_until_idle();
        // Nothing that names the old ones was invalidated by a change of another key.
        let kept = match change {
            Change::Other => vec![1, 1],
            _ => vec![2],
        };
        assert_eq!(held(&time, &cache), Some(kept), "{change:?}");
    }
}

#[test]
fn i1_what_a_source_gave_is_kept_if_only_others_were_invalidated() {
    for change in CHANGES {
        let time = Virtual::new();
        let cache = lists(&time).build().unwrap();
        let other = other(&cache);
        let tap = Tap::new();
        let mut items = tap.call_with(&cache, CallOptions::new().tag("fruit"));
        tap.give([1]);
        assert_eq!(ready(&time, &mut items), some([1]));
        change.make(&time, &cache, other);
        tap.end();
        assert_eq!(ready(&time, &mut items), [None]);
        time.run_until_idle();
        let expected = match change {
            Change::Other => Some(vec![1]),
            Change::Put => Some(vec![2]),
            Change::Key | Change::Tag | Change::Clear => None,
        };
        assert_eq!(held(&time, &cache), expected, "{change:?}");
        let refused = u64::from(!matches!(change, Change::Other));
        assert_eq!(cache.stats().refused, refused, "{change:?}");
    }
}
