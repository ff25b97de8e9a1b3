//! How long things live.

use std::time::Duration;

use larder_core::Ttl;

use super::rig::{HOUR, LOAD, Rig, SECOND, deals, part};
use crate::contract::Verdict;

pub(super) fn a_ticket_lives_as_long_as_a_load(rig: &Rig) -> Verdict {
    let deals = deals();
    let ticket = rig.ticket(&deals, "5", &[])?;
    rig.pass(LOAD - SECOND);
    rig.stores(
        &deals,
        "5",
        &ticket,
        part("five", &[], HOUR),
        "within a load's life",
    )?;
    let ticket = rig.ticket(&deals, "6", &[])?;
    rig.pass(LOAD + SECOND);
    rig.refuses(
        &deals,
        "6",
        &ticket,
        part("six", &[], HOUR),
        "after a load's life",
    )
}

pub(super) fn time_left_falls_and_is_never_too_long(rig: &Rig) -> Verdict {
    let deals = deals();
    rig.fill(&deals, "5", part("five", &[], SECOND * 10))?;
    for gone in 0..10 {
        let most = SECOND * (10 - gone);
        let found = rig.look(&deals, "5")?.found;
        let left = found.ok_or(format!("not found after {gone} of 10 s"))?.left;
        if left > most || left + rig.grain < most {
            return Err(format!("{left:?} left after {gone} of 10 s"));
        }
        rig.pass(SECOND);
    }
    rig.lacks(&deals, "5", "once its time was over")
}

pub(super) fn reading_prolongs_nothing(rig: &Rig) -> Verdict {
    let deals = deals();
    rig.fill(&deals, "5", part("five", &[], SECOND * 10))?;
    for _ in 0..10 {
        rig.look(&deals, "5")?;
        rig.load(&deals, "5", &["tag"])?;
        rig.pass(SECOND);
    }
    rig.lacks(&deals, "5", "after 10 s of reading")
}

pub(super) fn the_shortest_and_the_longest_time(rig: &Rig) -> Verdict {
    let deals = deals();
    rig.fill(&deals, "none", part("none", &[], Duration::ZERO))?;
    rig.lacks(&deals, "none", "after it was stored for no time")?;
    for ends in [Ttl::MAX.duration(), Duration::MAX] {
        rig.fill(&deals, "5", part("five", &[], ends))?;
        rig.holds(&deals, "5", "five", "after it was stored for very long")?;
        let left = rig.look(&deals, "5")?.found.map(|found| found.left);
        if left > Some(ends) {
            return Err(format!("{left:?} left of {ends:?}"));
        }
    }
    Ok(())
}
