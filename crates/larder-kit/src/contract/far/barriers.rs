//! Clear and tags.

use larder_core::far::{FarTicket, Missing, Space};

use super::rig::{BARRIER, HOUR, Rig, SECOND, deals, part, space};
use crate::contract::Verdict;

pub(super) fn clear_kills_every_entry_and_refuses_loads(rig: &Rig) -> Verdict {
    let (deals, users) = (deals(), space("users", 7));
    for key in ["1", "2", "3"] {
        rig.fill(&deals, key, part("old", &[], HOUR))?;
        rig.fill(&users, key, part("user", &[], HOUR))?;
    }
    let running = rig.ticket(&deals, "1", &[])?;
    let fresh = rig.ticket(&deals, "4", &[])?;
    rig.clear(&deals)?;
    for key in ["1", "2", "3"] {
        rig.says(&deals, key, Missing::Cleared)?;
        rig.lacks(&deals, key, "after a clear")?;
        rig.holds(&users, key, "user", "after another cache's clear")?;
    }
    for (key, ticket) in [("1", running), ("4", fresh)] {
        rig.refuses(
            &deals,
            key,
            &ticket,
            part("old", &[], HOUR),
            "after a clear",
        )?;
    }
    rig.fill(&deals, "1", part("new", &[], HOUR))?;
    rig.holds(&deals, "1", "new", "after it was stored anew")
}

pub(super) fn a_tag_kills_its_entries_alone(rig: &Rig) -> Verdict {
    let (deals, users) = (deals(), space("users", 7));
    rig.fill(&deals, "a", part("a", &["a"], HOUR))?;
    rig.fill(&deals, "ab", part("ab", &["a", "b"], HOUR))?;
    rig.fill(&deals, "b", part("b", &["b"], HOUR))?;
    rig.fill(&deals, "none", part("none", &[], HOUR))?;
    rig.fill(&users, "a", part("user", &["a"], HOUR))?;
    let running = rig.ticket(&deals, "c", &["a"])?;
    rig.drop_tag(&deals, "a")?;
    rig.says(&deals, "a", Missing::Tag)?;
    rig.lacks(&deals, "a", "after its tag was dropped")?;
    rig.lacks(&deals, "ab", "after one of its tags was dropped")?;
    rig.holds(&deals, "b", "b", "after another tag was dropped")?;
    rig.holds(
        &deals,
        "none",
        "none",
        "after a tag was dropped that it has not",
    )?;
    rig.holds(&users, "a", "user", "after another cache's tag was dropped")?;
    rig.refuses(
        &deals,
        "c",
        &running,
        part("old", &["a"], HOUR),
        "under a dropped tag",
    )?;
    rig.fill(&deals, "a", part("new", &["a"], HOUR))?;
    rig.holds(&deals, "a", "new", "after it was stored anew")
}

pub(super) fn a_tag_of_the_value_is_a_barrier_too(rig: &Rig) -> Verdict {
    let deals = deals();
    // Once where the tag's token is missing, once where it is there.
    for key in ["5", "6"] {
        let ticket = rig.ticket(&deals, key, &["known"])?;
        let tags = &["known", "seen", "seen"];
        rig.stores(
            &deals,
            key,
            &ticket,
            part("five", tags, HOUR),
            "with a tag of the value",
        )?;
        rig.holds(&deals, key, "five", "under a tag that only it names")?;
    }
    rig.drop_tag(&deals, "seen")?;
    rig.lacks(&deals, "5", "after a tag was dropped that only it names")?;
    rig.lacks(&deals, "6", "after a tag was dropped that only it names")
}

pub(super) fn an_unknown_tag_dropped_during_the_load_refuses(rig: &Rig) -> Verdict {
    type Meanwhile = fn(&Rig, &Space, &FarTicket) -> Verdict;
    let meanwhile: [(&str, Meanwhile); 3] = [
        ("", |_, _, _| Ok(())),
        (", and its token made anew", |rig, deals, _| {
            rig.fill(deals, "other", part("other", &["tag"], HOUR))
        }),
        (", and the load read again", |rig, deals, _| {
            rig.load(deals, "5", &["tag"]).map(drop)
        }),
    ];
    for (before, filled) in [("", false), (" that others have", true)] {
        for (name, meanwhile) in meanwhile {
            let deals = space(&format!("deals{name}{before}"), 7);
            if filled {
                rig.fill(&deals, "other", part("other", &["tag"], HOUR))?;
            }
            let ticket = rig.ticket(&deals, "5", &["known"])?;
            rig.drop_tag(&deals, "tag")?;
            meanwhile(rig, &deals, &ticket)?;
            let when = format!("with a tag{before} that was dropped during the load{name}");
            rig.refuses(
                &deals,
                "5",
                &ticket,
                part("old", &["known", "tag"], HOUR),
                &when,
            )?;
        }
    }
    Ok(())
}

pub(super) fn a_tag_that_no_one_names_refuses_nothing(rig: &Rig) -> Verdict {
    let deals = deals();
    for (key, tags) in [("none", &[][..]), ("one", &["a"]), ("two", &["a", "b"])] {
        let ticket = rig.ticket(&deals, key, tags)?;
        rig.drop_tag(&deals, "other")?;
        rig.stores(
            &deals,
            key,
            &ticket,
            part("mine", tags, HOUR),
            "while another tag is dropped",
        )?;
    }
    Ok(())
}

pub(super) fn new_tags_replace_old_ones(rig: &Rig) -> Verdict {
    let deals = deals();
    rig.fill(&deals, "5", part("first", &["a"], HOUR))?;
    rig.fill(&deals, "5", part("second", &["b"], HOUR))?;
    rig.drop_tag(&deals, "a")?;
    rig.holds(
        &deals,
        "5",
        "second",
        "after a tag was dropped that it has no more",
    )?;
    rig.drop_tag(&deals, "b")?;
    rig.lacks(&deals, "5", "after its tag was dropped")
}

pub(super) fn barriers_live_as_long_as_what_lists_them(rig: &Rig) -> Verdict {
    let deals = deals();
    rig.fill(&deals, "long", part("long", &["tag"], BARRIER * 3))?;
    rig.fill(&deals, "short", part("short", &["tag"], SECOND))?;
    rig.pass(BARRIER * 2);
    rig.holds(
        &deals,
        "long",
        "long",
        "after its barriers' life, for it lives longer",
    )?;
    let running = rig.ticket(&deals, "other", &["tag"])?;
    rig.pass(BARRIER);
    rig.lacks(&deals, "long", "after its own end")?;
    rig.refuses(
        &deals,
        "other",
        &running,
        part("old", &["tag"], HOUR),
        "after its barriers' end",
    )
}

pub(super) fn a_lost_barrier_refuses_and_never_revives(rig: &Rig) -> Verdict {
    let deals = deals();
    // The entry outlives the token of a tag that it does not list.
    rig.fill(&deals, "5", part("five", &[], BARRIER * 3))?;
    let old = rig.ticket(&deals, "5", &["tag"])?;
    rig.pass(BARRIER + SECOND);
    for when in ["after a barrier's life", "after the barrier was made anew"] {
        rig.refuses(&deals, "5", &old, part("old", &["tag"], HOUR), when)?;
        rig.ticket(&deals, "5", &["tag"])?;
    }
    // What was there may be lost with it: a store may tell only afterwards that it was refused.
    Ok(())
}

pub(super) fn stores_keep_barriers_alive(rig: &Rig) -> Verdict {
    let deals = deals();
    outlived(rig, &deals, &["tag"], || {
        rig.fill(&deals, "other", part("other", &["tag"], SECOND))
    })?;
    rig.drop_tag(&deals, "tag")?;
    rig.lacks(&deals, "5", "after its tag was dropped")
}

/// Barriers that are renewed in time still hold for a load that runs while they would have ended.
pub(super) fn outlived(
    rig: &Rig,
    space: &Space,
    tags: &[&str],
    renew: impl Fn() -> Verdict,
) -> Verdict {
    rig.ticket(space, "first", tags)?;
    for (round, key) in ["1", "2", "3", "5"].into_iter().enumerate() {
        rig.pass(BARRIER / 5 * 3);
        renew()?;
        rig.pass(BARRIER / 5 * 2 - SECOND);
        let running = rig.ticket(space, key, tags)?;
        rig.pass(SECOND * 2);
        let when = format!("while barriers would have ended, round {round}");
        rig.stores(space, key, &running, part("five", tags, HOUR), &when)?;
        rig.holds(space, key, "five", &when)?;
    }
    Ok(())
}
