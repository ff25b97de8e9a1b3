//! Numbers.

use std::collections::HashSet;

use larder_core::far::Change;

use super::barriers::outlived;
use super::ears::Ears;
use super::names::NAMES;
use super::rig::{BARRIER, HOUR, Rig, SECOND, deals, part, space};
use crate::contract::Verdict;
use crate::contract::place::same;

pub(super) fn numbers_go_up_by_one(rig: &Rig) -> Verdict {
    let (deals, users) = (deals(), space("users", 7));
    let ears = Ears::of(rig, &deals);
    let mut last = rig.number(&deals)?;
    for round in 0..20 {
        match round % 5 {
            0 => rig.run(
                "invalidate",
                rig.guarded().invalidate(&deals, &[b"1", b"2", b"3"]),
            )?,
            1 => rig.expire(&deals, "5")?,
            2 => rig.drop_tag(&deals, "tag")?,
            3 => rig.clear(&deals)?,
            _ => rig.run("publish", rig.bus().publish(&deals, Change::All))?,
        }
        rig.clear(&users)?;
        for message in ears.messages() {
            last = last.wrapping_add(1);
            same(
                &message.number,
                &last,
                &format!("as number in round {round}"),
            )?;
        }
        same(
            &rig.number(&deals)?,
            &last,
            &format!("as number after round {round}"),
        )?;
    }
    Ok(())
}

pub(super) fn numbers_start_at_random(rig: &Rig) -> Verdict {
    let numbers = NAMES.map(|name| rig.number(&space(name, 7)));
    let numbers = numbers.into_iter().collect::<Result<HashSet<_>, _>>()?;
    same(&numbers.len(), &NAMES.len(), "different first numbers")?;
    let small = numbers.iter().filter(|number| **number < 1 << 32).count();
    same(&(small > 1), &false, "of small first numbers")
}

pub(super) fn a_lost_number_starts_anew(rig: &Rig) -> Verdict {
    let deals = deals();
    let ears = Ears::of(rig, &deals);
    rig.invalidate(&deals, "5")?;
    let before = rig.number(&deals)?;
    rig.pass(BARRIER + SECOND);
    rig.invalidate(&deals, "5")?;
    let after = ears.messages().last().map(|message| message.number);
    let after = after.ok_or("no message after the number's life")?;
    same(
        &(after.abs_diff(before) < 1 << 20),
        &false,
        "of a number near the lost one",
    )?;
    same(&rig.number(&deals)?, &after, "as number after it was lost")
}

pub(super) fn a_heartbeat_keeps_the_number(rig: &Rig) -> Verdict {
    let deals = deals();
    let number = rig.number(&deals)?;
    for round in 0..10 {
        rig.pass(BARRIER / 5 * 3);
        same(
            &rig.number(&deals)?,
            &number,
            &format!("as number at heartbeat {round}"),
        )?;
    }
    Ok(())
}

pub(super) fn a_heartbeat_keeps_barriers(rig: &Rig) -> Verdict {
    let deals = deals();
    outlived(rig, &deals, &[], || rig.number(&deals).map(drop))?;
    let ticket = rig.ticket(&deals, "6", &[])?;
    rig.clear(&deals)?;
    rig.number(&deals)?;
    rig.lacks(&deals, "5", "after a clear and a heartbeat")?;
    rig.refuses(
        &deals,
        "6",
        &ticket,
        part("old", &[], HOUR),
        "after a clear and a heartbeat",
    )
}
