//! Purges.

use bytes::Bytes;
use larder_core::far::{Read, Space, Want};

use super::names::{NAMES, fill_all, only_one_is_empty};
use super::rig::{HOUR, Rig, deals, part, space};
use crate::contract::Verdict;
use crate::contract::place::same;

pub(super) fn a_purge_empties_one_cache(rig: &Rig) -> Verdict {
    same(&rig.purge("cat")?, &0, "keys purged from an empty store")?;
    let spaces = NAMES.map(|name| space(name, 7));
    fill_all(rig, &spaces)?;
    for one in &spaces {
        let purged = rig.purge(one.cache())?;
        if purged < 5 {
            return Err(format!("{purged} keys purged of a cache with 5 entries"));
        }
        same(
            &rig.purge(one.cache())?,
            &0,
            "keys purged from an empty cache",
        )?;
        only_one_is_empty(rig, &spaces, one.cache(), "a purge")?;
        fill_all(rig, std::slice::from_ref(one))?;
    }
    Ok(())
}

pub(super) fn a_purge_refuses_running_loads(rig: &Rig) -> Verdict {
    let deals = deals();
    let ticket = rig.ticket(&deals, "5", &["tag"])?;
    rig.purge("deals")?;
    rig.fill(&deals, "6", part("six", &["tag"], HOUR))?;
    rig.refuses(
        &deals,
        "5",
        &ticket,
        part("old", &["tag"], HOUR),
        "after a purge",
    )
}

pub(super) fn a_large_cache_is_purged(rig: &Rig) -> Verdict {
    let (deals, users) = (deals(), space("users", 7));
    let names: Vec<_> = (0..2000).map(|number: u32| number.to_string()).collect();
    for names in names.chunks(AT_ONCE) {
        fill_many(rig, &deals, names)?;
        fill_many(rig, &users, names)?;
    }
    let purged = rig.purge("deals")?;
    same(
        &(2000..2010).contains(&purged),
        &true,
        "of as many keys as the cache has",
    )?;
    for names in names.chunks(AT_ONCE) {
        for want in [Want::Look, Want::Load] {
            let held = found(rig, &deals, names, want)?;
            same(&held, &0, "found after a purge of many")?;
        }
        let others = found(rig, &users, names, Want::Look)?;
        same(&others, &names.len(), "found after another cache's purge")?;
    }
    Ok(())
}

/// How many keys are read together: a store that is far away takes its time for each read.
const AT_ONCE: usize = 100;

fn read_many(rig: &Rig, space: &Space, names: &[String], want: Want) -> Result<Vec<Read>, String> {
    let keys: Vec<_> = names.iter().map(String::as_bytes).collect();
    rig.read(space, &keys, &[], want)
}

/// Each name is stored as the value of itself.
fn fill_many(rig: &Rig, space: &Space, names: &[String]) -> Verdict {
    let reads = read_many(rig, space, names, Want::Load)?;
    for (name, read) in names.iter().zip(reads) {
        let ticket = read.ticket.ok_or("a load got no ticket")?;
        rig.stores(space, name, &ticket, part(name, &[], HOUR), "of many")?;
    }
    Ok(())
}

/// How many of them hold what was stored.
fn found(rig: &Rig, space: &Space, names: &[String], want: Want) -> Result<usize, String> {
    let reads = read_many(rig, space, names, want)?;
    let both = names.iter().zip(reads);
    let mut held = 0;
    for (name, read) in both {
        if let Some(found) = read.found {
            same(&found.bytes, &Bytes::from(name.clone()), "of many")?;
            held += 1;
        }
    }
    Ok(held)
}
