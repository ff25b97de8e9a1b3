//! Who is told what.

use std::sync::Arc;

use larder_core::digest;
use larder_core::far::{Change, Space};

use super::ears::Ears;
use super::names::NAMES;
use super::rig::{BARRIER, HOUR, LOAD, Rig, deals, part, space};
use crate::contract::Verdict;
use crate::contract::place::same;

pub(super) fn every_change_is_told(rig: &Rig) -> Verdict {
    let deals = deals();
    let ears = Ears::of(rig, &deals);
    let key = digest(b"5");
    let told = |change, when: &str| same(&ears.changes(), &vec![change], when);
    rig.invalidate(&deals, "5")?;
    told(Change::Key(key), "after an invalidate of nothing")?;
    rig.expire(&deals, "5")?;
    told(Change::Expired(key), "after an expire of nothing")?;
    rig.fill(&deals, "5", part("five", &["tag"], HOUR))?;
    let ticket = rig.ticket(&deals, "5", &[])?;
    for when in ["after a put", "after a put that deleted"] {
        rig.put(&deals, "5", &ticket, part("put", &[], HOUR))?;
        told(Change::Key(key), when)?;
    }
    rig.fill(&deals, "5", part("five", &["tag"], HOUR))?;
    rig.expire(&deals, "5")?;
    told(Change::Expired(key), "after an expire")?;
    rig.invalidate(&deals, "5")?;
    told(Change::Key(key), "after an invalidate")?;
    rig.drop_tag(&deals, "tag")?;
    told(Change::Tag(digest(b"tag")), "after a tag was dropped")?;
    rig.clear(&deals)?;
    told(Change::All, "after a clear")?;
    for change in [
        Change::Key(1),
        Change::Expired(2),
        Change::Tag(u64::MAX),
        Change::All,
    ] {
        rig.run("publish", rig.bus().publish(&deals, change))?;
        told(change, "after it was published")?;
    }
    Ok(())
}

pub(super) fn what_changes_nothing_is_not_told(rig: &Rig) -> Verdict {
    let deals = deals();
    let ears = Ears::of(rig, &deals);
    rig.look(&deals, "5")?;
    let ticket = rig.ticket(&deals, "5", &["tag"])?;
    rig.release(&deals, "5", &ticket)?;
    rig.refuses(
        &deals,
        "5",
        &ticket,
        part("five", &[], HOUR),
        "after a release",
    )?;
    rig.fill(&deals, "5", part("five", &["tag", "new"], HOUR))?;
    rig.number(&deals)?;
    same(
        &ears.changes(),
        &Vec::new(),
        "after reads, stores, a release and a heartbeat",
    )
}

pub(super) fn each_key_is_told(rig: &Rig) -> Verdict {
    let deals = deals();
    let ears = Ears::of(rig, &deals);
    let keys: [&[u8]; 4] = [b"1", b"", b"3", b"1"];
    let wanted = |change: fn(u64) -> Change| keys.map(|key| change(digest(key))).to_vec();
    rig.run("invalidate", rig.guarded().invalidate(&deals, &keys))?;
    covers(&ears, &wanted(Change::Key), "after an invalidate of many")?;
    rig.run("expire", rig.guarded().expire(&deals, &keys))?;
    covers(&ears, &wanted(Change::Expired), "after an expire of many")
}

/// Each was told, once for a key that was listed twice or twice, and nothing else.
fn covers(ears: &Ears, wanted: &[Change], when: &str) -> Verdict {
    let told = ears.changes();
    let all = wanted.iter().all(|change| told.contains(change));
    let only = told.iter().all(|change| wanted.contains(change));
    same(
        &(all, only),
        &(true, true),
        &format!("of being told all and only that {when}"),
    )
}

pub(super) fn everybody_is_told_of_one_cache(rig: &Rig) -> Verdict {
    let nodes = [1, 2, u64::MAX].map(|node| Space::new("cat".into(), node, 7).lives(LOAD, BARRIER));
    let ears = nodes.each_ref().map(|space| Ears::of(rig, space));
    let others = NAMES[1..].iter().map(|name| space(name, 7));
    for other in others {
        rig.invalidate(&other, "5")?;
        rig.clear(&other)?;
    }
    for writer in &nodes {
        rig.invalidate(writer, "5")?;
        for ears in &ears {
            let told = ears
                .messages()
                .iter()
                .map(|m| (m.node, m.change))
                .collect::<Vec<_>>();
            let wanted = vec![(writer.node(), Change::Key(digest(b"5")))];
            same(&told, &wanted, "for one of three who listen")?;
        }
    }
    Ok(())
}

pub(super) fn who_is_gone_is_not_kept(rig: &Rig) -> Verdict {
    let deals = deals();
    let (stays, goes) = (Ears::of(rig, &deals), Ears::of(rig, &deals));
    rig.invalidate(&deals, "5")?;
    same(&goes.changes().len(), &1, "messages while it listened")?;
    let gone = Arc::downgrade(&goes);
    drop(goes);
    same(&gone.strong_count(), &0, "owners of who has left")?;
    rig.invalidate(&deals, "5")?;
    same(&stays.changes().len(), &2, "messages for who has stayed")
}

pub(super) fn loads_that_end_wake(rig: &Rig) -> Verdict {
    let deals = deals();
    let ears = Ears::of(rig, &deals);
    let number = rig.number(&deals)?;
    let ticket = rig.ticket(&deals, "5", &[])?;
    same(&ears.wakes(), &vec![], "as wakes of a load that runs")?;
    rig.release(&deals, "5", &ticket)?;
    same(&ears.wakes(), &vec![digest(b"5")], "as wakes of a release")?;
    rig.fill(&deals, "6", part("six", &[], HOUR))?;
    same(&ears.wakes(), &vec![digest(b"6")], "as wakes of a store")?;
    same(&rig.number(&deals)?, &number, "as number after wakes alone")
}
