//! Two versions of a program at work on one cache.

use larder_core::far::Missing;

use super::rig::{HOUR, Rig, SECOND, part, space};
use crate::contract::Verdict;

pub(super) fn two_shapes_live_side_by_side(rig: &Rig) -> Verdict {
    let (a, b) = (space("deals", 1), space("deals", u64::MAX));
    rig.fill(&a, "5", part("of a", &[], HOUR))?;
    if let Some(found) = rig.load(&b, "5", &[])?.found {
        return Err(format!("b found {:?}, which is a's", found.bytes));
    }
    rig.says(&b, "5", Missing::Schema)?;
    rig.fill(&b, "5", part("of b", &[], HOUR))?;
    for round in 0..3 {
        let when = format!("in round {round} beside the other's");
        rig.holds(&a, "5", "of a", &when)?;
        rig.holds(&b, "5", "of b", &when)?;
        rig.fill(&a, "5", part("of a", &[], HOUR))?;
    }
    Ok(())
}

pub(super) fn of_three_shapes_the_oldest_falls(rig: &Rig) -> Verdict {
    let [a, b, c] = [1, 2, 3].map(|schema| space("deals", schema));
    rig.fill(&a, "5", part("of a", &[], HOUR))?;
    rig.fill(&b, "5", part("of b", &[], HOUR))?;
    rig.fill(&c, "5", part("of c", &[], HOUR))?;
    rig.lacks(&a, "5", "as the oldest of three")?;
    rig.holds(&b, "5", "of b", "as the second of three")?;
    rig.holds(&c, "5", "of c", "as the last of three")?;
    rig.fill(&b, "5", part("again of b", &[], HOUR))?;
    rig.fill(&a, "5", part("again of a", &[], HOUR))?;
    rig.lacks(
        &c,
        "5",
        "as the oldest of three, stored after b at first and before b later",
    )?;
    rig.holds(&b, "5", "again of b", "as the second of three")?;
    rig.holds(&a, "5", "again of a", "as the last of three")
}

pub(super) fn either_shape_invalidates_both(rig: &Rig) -> Verdict {
    let (a, b) = (space("deals", 1), space("deals", 2));
    for who in [&a, &b] {
        rig.fill(&a, "5", part("of a", &["tag"], HOUR))?;
        rig.fill(&b, "5", part("of b", &["tag"], HOUR))?;
        let running = [rig.ticket(&a, "5", &[])?, rig.ticket(&b, "5", &[])?];
        rig.invalidate(who, "5")?;
        for (space, ticket) in [&a, &b].into_iter().zip(&running) {
            rig.refuses(
                space,
                "5",
                ticket,
                part("old", &[], HOUR),
                "after either's invalidate",
            )?;
            rig.lacks(space, "5", "after either's invalidate")?;
        }
        rig.fill(&a, "5", part("of a", &["tag"], HOUR))?;
        rig.fill(&b, "5", part("of b", &["tag"], HOUR))?;
        rig.drop_tag(who, "tag")?;
        rig.lacks(&a, "5", "after either dropped the tag")?;
        rig.lacks(&b, "5", "after either dropped the tag")?;
    }
    Ok(())
}

pub(super) fn shapes_end_by_themselves(rig: &Rig) -> Verdict {
    let (a, b) = (space("deals", 1), space("deals", 2));
    for (key, order) in [("ab", [&a, &b]), ("ba", [&b, &a])] {
        for space in order {
            let ends = if space.schema() == 1 { 60 } else { 10 };
            rig.fill(space, key, part("mine", &[], SECOND * ends))?;
        }
        let left = |space| Ok::<_, String>(rig.look(space, key)?.found.map(|found| found.left));
        for (space, ends) in [(&a, SECOND * 60), (&b, SECOND * 10)] {
            let left = left(space)?.ok_or("not found at once")?;
            if left > ends || left + rig.grain < ends {
                return Err(format!("{left:?} left of {ends:?}, beside another end"));
            }
        }
        rig.pass(SECOND * 11);
        rig.holds(&a, key, "mine", "11 s after it was stored for 60 s")?;
        rig.lacks(&b, key, "11 s after it was stored for 10 s")?;
        rig.pass(SECOND * 50);
        rig.lacks(&a, key, "61 s after it was stored for 60 s")?;
    }
    Ok(())
}

pub(super) fn a_store_replaces_its_own_shape(rig: &Rig) -> Verdict {
    let (a, b) = (space("deals", 1), space("deals", 2));
    rig.fill(&a, "5", part("first", &[], HOUR))?;
    rig.fill(&b, "5", part("of b", &[], HOUR))?;
    rig.fill(&a, "5", part("second", &[], SECOND * 10))?;
    rig.holds(&a, "5", "second", "after a second store")?;
    rig.pass(SECOND * 11);
    rig.lacks(
        &a,
        "5",
        "after the end of the second store, which was before the first's",
    )?;
    rig.holds(&b, "5", "of b", "after the other's end")
}
