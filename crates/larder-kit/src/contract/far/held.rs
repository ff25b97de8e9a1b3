//! Who loads while others wait.

use larder_core::far::Want;

use super::rig::{HOUR, LOAD, Rig, SECOND, deals, part, space};
use crate::contract::Verdict;
use crate::contract::place::same;

fn is_held(rig: &Rig, key: &str, held: bool, when: &str) -> Verdict {
    let load = rig.load(&deals(), key, &[])?;
    same(&load.held, &held, &format!("of being held {when}"))
}

pub(super) fn the_maker_of_a_token_holds_it(rig: &Rig) -> Verdict {
    let deals = deals();
    let mine = rig.load(&deals, "5", &[])?;
    same(
        &mine.held,
        &false,
        "of being held by another, for the maker",
    )?;
    is_held(rig, "5", true, "by another, for the second")?;
    same(
        &rig.look(&deals, "5")?.held,
        &true,
        "of being held, for a look",
    )?;
    is_held(rig, "6", false, "for another key")?;
    let ticket = mine.ticket.ok_or("no ticket")?;
    rig.stores(
        &deals,
        "5",
        &ticket,
        part("five", &[], HOUR),
        "by the holder",
    )?;
    is_held(rig, "5", false, "after the holder stored")?;
    rig.invalidate(&deals, "5")?;
    is_held(rig, "5", false, "after an invalidation")?;
    rig.pass(LOAD + SECOND);
    is_held(rig, "5", false, "after a load's life")
}

pub(super) fn both_holders_may_store(rig: &Rig) -> Verdict {
    let deals = deals();
    let first = rig.ticket(&deals, "5", &[])?;
    let second = rig.ticket(&deals, "5", &[])?;
    rig.stores(
        &deals,
        "5",
        &second,
        part("second", &[], HOUR),
        "by who waited",
    )?;
    rig.stores(
        &deals,
        "5",
        &first,
        part("first", &[], HOUR),
        "by the holder, later",
    )?;
    rig.holds(&deals, "5", "first", "after both stored")
}

pub(super) fn a_key_listed_twice_is_held_by_the_read(rig: &Rig) -> Verdict {
    let deals = deals();
    let answers = rig.read(&deals, &[b"5", b"6", b"5"], &[], Want::Load)?;
    let held: Vec<_> = answers.iter().map(|read| read.held).collect();
    same(&held, &vec![false; 3], "of being held by another")?;
    same(
        &answers[0].ticket,
        &answers[2].ticket,
        "of one key's ticket",
    )?;
    let ticket = answers[2].ticket.as_ref().ok_or("no ticket")?;
    rig.stores(
        &deals,
        "5",
        ticket,
        part("five", &[], HOUR),
        "of the second mention",
    )
}

pub(super) fn release_lets_go_of_its_own_only(rig: &Rig) -> Verdict {
    let deals = deals();
    let old = rig.ticket(&deals, "5", &[])?;
    rig.release(&deals, "5", &old)?;
    is_held(rig, "5", false, "after a release")?;
    rig.release(&deals, "5", &old)?;
    is_held(rig, "5", true, "after an older ticket's release")?;
    let shared = rig.ticket(&deals, "5", &[])?;
    rig.stores(
        &deals,
        "5",
        &shared,
        part("five", &[], HOUR),
        "by a second holder",
    )?;
    rig.release(&deals, "5", &shared)?;
    rig.holds(&deals, "5", "five", "after a release that came late")?;
    rig.invalidate(&deals, "5")?;
    rig.release(&deals, "5", &shared)?;
    rig.lacks(&deals, "5", "after a release")
}

pub(super) fn dead_parts_give_a_new_token(rig: &Rig) -> Verdict {
    let deals = deals();
    rig.fill(&deals, "5", part("five", &["tag"], HOUR))?;
    let before = rig.ticket(&deals, "5", &["tag"])?;
    rig.drop_tag(&deals, "tag")?;
    let after = rig.load(&deals, "5", &["tag"])?;
    same(
        &after.held,
        &false,
        "of being held, for who found the parts dead",
    )?;
    is_held(rig, "5", true, "for the next")?;
    rig.refuses(
        &deals,
        "5",
        &before,
        part("old", &["tag"], HOUR),
        "under the dead tag",
    )?;
    let after = after.ticket.ok_or("no ticket")?;
    rig.stores(
        &deals,
        "5",
        &after,
        part("new", &["tag"], HOUR),
        "under the new tag",
    )?;
    // The shape of another version is no reason to wait, nor a dead one if the other lives.
    let other = rig.load(&space("deals", 8), "5", &[])?;
    same(
        &other.held,
        &false,
        "of being held by another shape's value",
    )
}
