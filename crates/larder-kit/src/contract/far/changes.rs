//! Invalidate and expire.

use larder_core::far::Want;

use super::rig::{HOUR, Rig, SECOND, deals, part, space};
use crate::contract::Verdict;
use crate::contract::place::same;

pub(super) fn invalidate_removes_its_keys_alone(rig: &Rig) -> Verdict {
    let deals = deals();
    for key in ["1", "2", "3", "4"] {
        rig.fill(&deals, key, part("old", &[], HOUR))?;
    }
    let keys: [&[u8]; 4] = [b"1", b"9", b"3", b"1"];
    rig.run("invalidate", rig.guarded().invalidate(&deals, &keys))?;
    rig.run("invalidate", rig.guarded().invalidate(&deals, &[]))?;
    for (key, gone) in [("1", true), ("2", false), ("3", true), ("4", false)] {
        match gone {
            true => rig.lacks(&deals, key, "after it was invalidated")?,
            false => rig.holds(&deals, key, "old", "after others were invalidated")?,
        }
    }
    Ok(())
}

pub(super) fn expire_keeps_a_fallback(rig: &Rig) -> Verdict {
    let deals = deals();
    rig.fill(&deals, "5", part("old", &["tag"], SECOND * 10))?;
    rig.fill(&deals, "6", part("other", &["tag"], SECOND * 10))?;
    rig.pass(SECOND * 4);
    rig.expire(&deals, "5")?;
    for want in [Want::Look, Want::Load] {
        let read = rig.read(&deals, &[b"5"], &["tag"], want)?.remove(0);
        let found = read.found.ok_or("nothing was found after an expire")?;
        same(&&found.bytes[..], &&b"old"[..], "after an expire")?;
        same(&found.expired, &true, "of being expired")?;
        same(&read.held, &false, "of being held after an expire")?;
        if found.left > SECOND * 6 {
            return Err(format!("{:?} left of 6 s after an expire", found.left));
        }
    }
    rig.holds(&deals, "6", "other", "after another was expired")?;
    rig.fill(&deals, "5", part("new", &["tag"], SECOND * 10))?;
    rig.holds(&deals, "5", "new", "after it was stored anew")?;
    rig.expire(&deals, "5")?;
    rig.drop_tag(&deals, "tag")?;
    rig.lacks(&deals, "5", "after it was expired and its tag dropped")
}

pub(super) fn expire_refuses_running_loads(rig: &Rig) -> Verdict {
    let deals = deals();
    let ticket = rig.ticket(&deals, "5", &[])?;
    rig.expire(&deals, "5")?;
    rig.refuses(
        &deals,
        "5",
        &ticket,
        part("old", &[], HOUR),
        "expired meanwhile",
    )?;
    let next = rig.load(&deals, "5", &[])?;
    same(
        &next.held,
        &false,
        "of being held by a load that was expired",
    )?;
    rig.fill(&deals, "5", part("first", &[], HOUR))?;
    let ticket = rig.ticket(&deals, "5", &[])?;
    rig.expire(&deals, "5")?;
    rig.refuses(
        &deals,
        "5",
        &ticket,
        part("old", &[], HOUR),
        "expired meanwhile",
    )?;
    let found = rig.look(&deals, "5")?.found;
    let expired = found.map(|found| found.expired);
    same(
        &expired,
        &Some(true),
        "of being expired after a refused store",
    )
}

pub(super) fn expire_reaches_every_shape(rig: &Rig) -> Verdict {
    let (a, b) = (space("deals", 1), space("deals", 2));
    rig.fill(&a, "5", part("of a", &[], HOUR))?;
    rig.fill(&b, "5", part("of b", &[], HOUR))?;
    rig.expire(&a, "5")?;
    let expired = |space| Ok::<_, String>(rig.look(space, "5")?.found.map(|found| found.expired));
    same(
        &expired(&a)?,
        &Some(true),
        "of being expired, for its shape",
    )?;
    same(
        &expired(&b)?,
        &Some(true),
        "of being expired, for the other shape",
    )?;
    rig.fill(&a, "5", part("new of a", &[], HOUR))?;
    rig.holds(&a, "5", "new of a", "after it was stored anew")?;
    same(
        &expired(&b)?,
        &Some(true),
        "of being expired after the other was stored anew",
    )
}

pub(super) fn expire_brings_nothing_back(rig: &Rig) -> Verdict {
    let deals = deals();
    rig.expire(&deals, "5")?;
    rig.lacks(&deals, "5", "after an expire of nothing")?;
    rig.fill(&deals, "5", part("old", &[], HOUR))?;
    rig.invalidate(&deals, "5")?;
    rig.expire(&deals, "5")?;
    rig.lacks(&deals, "5", "after an invalidate and an expire")?;
    rig.fill(&deals, "6", part("old", &[], HOUR))?;
    rig.clear(&deals)?;
    rig.expire(&deals, "6")?;
    rig.lacks(&deals, "6", "after a clear and an expire")?;
    rig.fill(&deals, "7", part("old", &[], SECOND * 10))?;
    rig.pass(SECOND * 9);
    rig.expire(&deals, "7")?;
    rig.pass(SECOND);
    rig.lacks(&deals, "7", "once its time was over, expired before that")
}
