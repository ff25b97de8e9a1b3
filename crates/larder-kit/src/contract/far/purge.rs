//! Purges.

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
    for number in 0..2000 {
        let key = number.to_string();
        rig.fill(&deals, &key, part("deal", &[], HOUR))?;
        rig.fill(&users, &key, part("user", &[], HOUR))?;
    }
    let purged = rig.purge("deals")?;
    same(
        &(2000..2010).contains(&purged),
        &true,
        "of as many keys as the cache has",
    )?;
    for number in 0..2000 {
        let key = number.to_string();
        rig.lacks(&deals, &key, "after a purge of many")?;
        rig.holds(&users, &key, "user", "after another cache's purge")?;
    }
    Ok(())
}
