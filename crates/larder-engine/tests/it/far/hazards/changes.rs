//! Changes whose far part is under way while others read.

use std::pin::pin;

use larder_engine::Change as Done;
use larder_kit::FarOperation;

use crate::far::rig::{Pair, TAG};
use crate::support::{Numbers, begin};

#[derive(Debug, Clone, Copy)]
enum Change {
    Key,
    Tag,
    Clear,
    Put,
    Expire,
}

const CHANGES: [Change; 5] = [
    Change::Key,
    Change::Tag,
    Change::Clear,
    Change::Put,
    Change::Expire,
];

impl Change {
    const fn operation(self) -> FarOperation {
        match self {
            Self::Key => FarOperation::Invalidate,
            Self::Tag | Self::Clear => FarOperation::DropBarrier,
            Self::Put => FarOperation::PutIf,
            Self::Expire => FarOperation::Expire,
        }
    }

    async fn make(self, cache: Numbers, new: u64) -> Done {
        match self {
            Self::Key => cache.invalidate(&1).await,
            Self::Tag => cache.invalidate_tag(TAG).await,
            Self::Clear => cache.clear().await,
            Self::Put => cache.put(&1, new).await,
            Self::Expire => cache.expire(&1).await,
        }
    }
}

/// The third step: what was fetched between the first raise and the far change falls.
#[test]
fn what_was_read_while_a_change_was_under_way_falls_when_it_returns() {
    for change in CHANGES {
        let pair = Pair::new();
        pair.fill_far();
        pair.fetch();
        let new = pair.source.change();
        let starts = pair.one.slow.hold_before(change.operation());
        let mut making = Box::pin(change.make(pair.one.numbers.clone(), new));
        begin(&pair.time, &mut making);
        pair.time.run_until_idle();
        assert_eq!(starts.waiting(), 1, "{change:?}");
        assert_eq!(
            pair.fetch(),
            1,
            "{change:?}: the far value, promoted once more"
        );
        assert_eq!(pair.one.numbers.stats().entries, 1, "{change:?}");
        starts.open();
        assert_eq!(pair.time.block_on(making), Done::Done);
        assert_eq!(pair.fetch(), new, "{change:?}");
    }
}

/// The caller leaves; the change, which has begun, goes on to its third step.
#[test]
fn a_caller_that_leaves_takes_no_change_along() {
    for change in CHANGES {
        let pair = Pair::new();
        pair.fill_far();
        let new = pair.source.change();
        let starts = pair.one.slow.hold_before(change.operation());
        {
            let mut making = pin!(change.make(pair.one.numbers.clone(), new));
            begin(&pair.time, &mut making);
            pair.time.run_until_idle();
            begin(&pair.time, &mut making);
        }
        assert_eq!(starts.waiting(), 1, "{change:?}");
        assert_eq!(pair.fetch(), 1, "{change:?}: it is not done yet");
        starts.open();
        pair.time.run_until_idle();
        assert_eq!(pair.fetch(), new, "{change:?}");
        assert_eq!(pair.two.fetch(&pair.time, &pair.source), new, "{change:?}");
    }
}

#[test]
fn two_changes_of_one_key_at_once_leave_the_newer() {
    let pair = Pair::new();
    pair.fetch();
    let starts = pair.one.slow.hold_before(FarOperation::Invalidate);
    let old = pair.source.change();
    let mut early = Box::pin(Change::Key.make(pair.one.numbers.clone(), old));
    begin(&pair.time, &mut early);
    pair.time.run_until_idle();
    pair.one.slow.hurry();
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.one.numbers.put(&1, new));
    starts.open();
    let _ = pair.time.block_on(early);
    assert_eq!(pair.fetch(), new);
    assert_eq!(pair.two.fetch(&pair.time, &pair.source), new);
}
