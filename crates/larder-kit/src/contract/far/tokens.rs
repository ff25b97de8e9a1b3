//! Tickets, and what makes them void.

use std::collections::HashSet;

use bytes::Bytes;
use larder_core::far::{FarTicket, Put, Space, Stored};

use super::rig::{HOUR, LOAD, Rig, SECOND, deals, part, space};
use crate::contract::Verdict;
use crate::contract::place::same;

pub(super) fn a_load_gets_a_ticket_and_stores(rig: &Rig) -> Verdict {
    let deals = deals();
    rig.lacks(&deals, "5", "in an empty store")?;
    for (key, bytes) in [("a", "first"), ("b", ""), ("", "third"), ("a", "fourth")] {
        rig.fill(&deals, key, part(bytes, &[], HOUR))?;
        rig.holds(&deals, key, bytes, "after it was stored")?;
    }
    Ok(())
}

pub(super) fn a_look_writes_nothing(rig: &Rig) -> Verdict {
    let deals = deals();
    for _ in 0..2 {
        let look = rig.look(&deals, "5")?;
        same(&look.ticket, &None, "as the ticket of a look at nothing")?;
        same(&look.held, &false, "of being held in an empty store")?;
    }
    let load = rig.load(&deals, "5", &[])?;
    same(
        &load.held,
        &false,
        "of being held when only looks were before",
    )
}

pub(super) fn a_look_gives_a_ticket_of_what_is_there(rig: &Rig) -> Verdict {
    let deals = deals();
    rig.fill(&deals, "5", part("old", &[], HOUR))?;
    let look = rig.look(&deals, "5")?;
    let ticket = look.ticket.ok_or("a look at what is there got no ticket")?;
    rig.stores(
        &deals,
        "5",
        &ticket,
        part("new", &[], HOUR),
        "of a look's ticket",
    )?;
    rig.holds(&deals, "5", "new", "after a look's ticket stored")?;
    rig.invalidate(&deals, "5")?;
    rig.refuses(
        &deals,
        "5",
        &ticket,
        part("old", &[], HOUR),
        "of a look's old ticket",
    )
}

/// What makes a ticket void.
type Blow = fn(&Rig, &Space, &FarTicket) -> Verdict;

const BLOWS: [(&str, Blow); 8] = [
    ("invalidate", |rig, deals, _| rig.invalidate(deals, "5")),
    ("clear", |rig, deals, _| rig.clear(deals)),
    ("a dropped tag", |rig, deals, _| rig.drop_tag(deals, "tag")),
    ("expire", |rig, deals, _| rig.expire(deals, "5")),
    ("release", |rig, deals, ticket| {
        rig.release(deals, "5", ticket)
    }),
    ("a put", |rig, deals, ticket| {
        let put = rig.put(deals, "5", ticket, part("put", &["tag"], SECOND))?;
        same(&put, &Put::Stored, "of an undisturbed put")
    }),
    ("another schema's invalidate", |rig, deals, _| {
        rig.invalidate(&space(deals.cache(), 8), "5")
    }),
    ("the end of its life", |rig, _, _| {
        rig.pass(LOAD + SECOND);
        Ok(())
    }),
];

pub(super) fn an_old_ticket_is_refused_however_late(rig: &Rig) -> Verdict {
    for (number, (name, blow)) in BLOWS.into_iter().enumerate() {
        let deals = space(&format!("deals{number}"), 7);
        let old = rig.ticket(&deals, "5", &["tag"])?;
        blow(rig, &deals, &old)?;
        let store = |when| {
            let when = format!("{when} {name}");
            rig.refuses(&deals, "5", &old, part("old", &["tag"], HOUR), &when)
        };
        store("after")?;
        rig.ticket(&deals, "5", &["tag"])?;
        store("after a new load, after")?;
        rig.fill(&deals, "5", part("new", &["tag"], SECOND * 10))?;
        store("after a new value, after")?;
        rig.holds(&deals, "5", "new", &format!("after {name} and late stores"))?;
        rig.pass(SECOND * 20);
        store("after the new value's end, after")?;
        rig.ticket(&deals, "5", &["tag"])?;
        store("after another load, after")?;
    }
    Ok(())
}

pub(super) fn tokens_are_new_each_time(rig: &Rig) -> Verdict {
    let deals = deals();
    let mut seen = HashSet::new();
    for round in 0..60 {
        let ticket = rig.ticket(&deals, "5", &["tag"])?;
        if !seen.insert(ticket.bytes().clone()) {
            return Err(format!("the ticket of round {round} was there before"));
        }
        match round % 4 {
            0 => rig.invalidate(&deals, "5")?,
            1 => rig.clear(&deals)?,
            2 => rig.drop_tag(&deals, "tag")?,
            _ => rig.pass(LOAD + SECOND),
        }
    }
    Ok(())
}

pub(super) fn a_ticket_is_of_one_key(rig: &Rig) -> Verdict {
    let (deals, users) = (deals(), space("users", 7));
    rig.fill(&deals, "6", part("six", &[], HOUR))?;
    rig.fill(&users, "5", part("user", &[], HOUR))?;
    let ticket = rig.ticket(&deals, "5", &[])?;
    for (space, key, kept) in [(&deals, "6", "six"), (&users, "5", "user")] {
        rig.refuses(
            space,
            key,
            &ticket,
            part("five", &[], HOUR),
            "of another key's ticket",
        )?;
        rig.release(space, key, &ticket)?;
        rig.holds(space, key, kept, "after another key's ticket was refused")?;
    }
    rig.stores(
        &deals,
        "5",
        &ticket,
        part("five", &[], HOUR),
        "of its own ticket",
    )
}

pub(super) fn a_foreign_ticket_is_refused(rig: &Rig) -> Verdict {
    let deals = deals();
    rig.ticket(&deals, "5", &["tag"])?;
    for length in [0, 1, 15, 16, 17, 47, 48, 72, 1000] {
        let bytes = Bytes::from(vec![0x5a; length]);
        let ticket = FarTicket::new(bytes);
        let stored = rig.store(&deals, "5", &ticket, part("five", &["tag", "new"], HOUR));
        // A store may say that it is no ticket at all.
        if stored == Ok(Stored::Stored) {
            return Err(format!("{length} bytes passed as a ticket"));
        }
    }
    rig.lacks(&deals, "5", "after foreign tickets")
}
