//! Each change against each moment of a call, in each arrangement of tiers: no call that starts
//! after the change has returned gets an older value.

mod stage;

use larder_engine::Change as Done;
use larder_kit::FarOperation;

use super::rig::TAG;
use crate::support::{Numbers, Source};
use stage::Stage;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Tiers {
    Near,
    Far,
    Both,
}

/// Who makes the change.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Changer {
    Own,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Change {
    Key,
    Tag,
    Clear,
    Put,
    /// With a ticket from before the source was changed.
    PutWith,
    /// With a ticket that another change has voided meanwhile.
    PutLate,
    Expire,
}

/// Where a call is when the change comes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Moment {
    /// No call has come, and nothing is held.
    Cold,
    /// A value is held in every tier.
    Held,
    /// A load, and one who joined it, wait for the far tier, whose read has not begun.
    Reading,
    /// The same, and the read was carried out.
    Read,
    /// A load, and one who joined it, have read the source.
    Loaded,
    /// A load stores; the store has not begun.
    Storing,
    /// The same, and the store was carried out.
    Stored,
    /// A load has got the far value and not promoted it.
    Promoting,
    /// The same for a call that loads nothing.
    Getting,
    /// A function that puts what it returns has its ticket and has read the source.
    Updating,
    /// A put of the value of before has its ticket and has not begun.
    Putting,
    /// The same, and it was carried out.
    Put,
}

/// When the tags of a loaded value are known.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Tags {
    BeforeTheLoad,
    FromTheValue,
}

/// Whether what was early ends before later calls come.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Order {
    EarlyEnds,
    LateComes,
}

const TIERS: [Tiers; 3] = [Tiers::Near, Tiers::Far, Tiers::Both];
const CHANGERS: [Changer; 2] = [Changer::Own, Changer::Other];
const CHANGES: [Change; 7] = [
    Change::Key,
    Change::Tag,
    Change::Clear,
    Change::Put,
    Change::PutWith,
    Change::PutLate,
    Change::Expire,
];
const MOMENTS: [Moment; 12] = [
    Moment::Cold,
    Moment::Held,
    Moment::Reading,
    Moment::Read,
    Moment::Loaded,
    Moment::Storing,
    Moment::Stored,
    Moment::Promoting,
    Moment::Getting,
    Moment::Updating,
    Moment::Putting,
    Moment::Put,
];
const TAGS: [Tags; 2] = [Tags::BeforeTheLoad, Tags::FromTheValue];
const ORDERS: [Order; 2] = [Order::EarlyEnds, Order::LateComes];

impl Moment {
    /// The far operation that is under way, and whether it was carried out.
    fn far(self) -> Option<(FarOperation, bool)> {
        match self {
            Self::Cold | Self::Held | Self::Loaded | Self::Updating => None,
            Self::Reading => Some((FarOperation::Read, false)),
            Self::Read | Self::Promoting | Self::Getting => Some((FarOperation::Read, true)),
            Self::Storing => Some((FarOperation::StoreIf, false)),
            Self::Stored => Some((FarOperation::StoreIf, true)),
            Self::Putting => Some((FarOperation::PutIf, false)),
            Self::Put => Some((FarOperation::PutIf, true)),
        }
    }
}

impl Change {
    /// Changes the source and says so, to the end. The oldest version that may be seen from then.
    async fn announce(self, cache: &Numbers, source: &Source) -> u64 {
        if self == Self::PutLate {
            let early = cache.ticket(&1).await;
            let lost = source.change();
            let won = source.change();
            assert_eq!(cache.invalidate(&1).await, Done::Done);
            assert_eq!(cache.put_with(early, lost).await, Done::Done);
            return won;
        }
        let ticket = cache.ticket(&1).await;
        let version = source.change();
        let done = match self {
            Self::Key => cache.invalidate(&1).await,
            Self::Tag => cache.invalidate_tag(TAG).await,
            Self::Clear => cache.clear().await,
            Self::Put => cache.put(&1, version).await,
            Self::PutWith | Self::PutLate => cache.put_with(ticket, version).await,
            Self::Expire => cache.expire(&1).await,
        };
        assert_eq!(done, Done::Done);
        version
    }
}

#[derive(Debug, Clone, Copy)]
struct Case {
    tiers: Tiers,
    changer: Changer,
    change: Change,
    moment: Moment,
    tags: Tags,
    order: Order,
}

impl Case {
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for tiers in TIERS {
            for changer in CHANGERS {
                for change in CHANGES {
                    for moment in MOMENTS {
                        all.extend(TAGS.iter().flat_map(|&tags| {
                            ORDERS.map(|order| Self {
                                tiers,
                                changer,
                                change,
                                moment,
                                tags,
                                order,
                            })
                        }));
                    }
                }
            }
        }
        all.retain(|case| case.is_possible());
        all
    }

    fn is_possible(&self) -> bool {
        let far = self.tiers != Tiers::Near;
        far || self.changer == Changer::Own && self.moment.far().is_none()
    }
}

fn check(case: Case) -> Result<(), String> {
    let stage = Stage::of(case.tiers, case.tags);
    let early = stage.early(case.moment);
    let least = stage.change(case.change, case.changer);
    let mut late = Vec::new();
    match case.order {
        Order::EarlyEnds => stage.finish(early),
        Order::LateComes => {
            late.extend(stage.late());
            stage.finish(early);
        }
    }
    late.extend(stage.late());
    late.extend(stage.late());
    let seen: Vec<_> = late
        .into_iter()
        .map(|call| stage.time.block_on(call))
        .collect();
    let old = seen.iter().flatten().any(|version| *version < least);
    let given = seen.iter().flatten().any(|version| *version == least);
    match (old, given) {
        (false, true) => Ok(()),
        _ => Err(format!("{case:?}: {seen:?}, and the oldest may be {least}")),
    }
}

#[test]
fn no_call_after_a_change_gets_an_older_value() {
    let cases = Case::all();
    assert!(cases.len() > 1400, "{} cases", cases.len());
    let broken: Vec<_> = cases
        .into_iter()
        .filter_map(|case| check(case).err())
        .collect();
    assert!(
        broken.is_empty(),
        "{} cases:\n{}",
        broken.len(),
        broken.join("\n")
    );
}
