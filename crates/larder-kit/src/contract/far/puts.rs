//! Puts.

use larder_core::far::{FarTicket, Put, Space};

use super::rig::{HOUR, Rig, SECOND, deals, part, space};
use crate::contract::Verdict;
use crate::contract::place::same;

fn puts(rig: &Rig, space: &Space, ticket: &FarTicket, tags: &[&str], when: &str) -> Verdict {
    let put = rig.put(space, "5", ticket, part("put", tags, HOUR))?;
    same(&put, &Put::Stored, &format!("of a put {when}"))?;
    rig.holds(space, "5", "put", &format!("after a put {when}"))
}

fn deletes(rig: &Rig, space: &Space, ticket: &FarTicket, tags: &[&str], when: &str) -> Verdict {
    let put = rig.put(space, "5", ticket, part("late", tags, HOUR))?;
    same(&put, &Put::Deleted, &format!("of a put {when}"))?;
    rig.lacks(space, "5", &format!("after a put {when}"))
}

pub(super) fn a_put_replaces_every_shape(rig: &Rig) -> Verdict {
    let (a, b) = (space("deals", 1), space("deals", 2));
    rig.fill(&a, "5", part("old of a", &[], HOUR))?;
    rig.fill(&b, "5", part("old of b", &[], HOUR))?;
    let ticket = rig.ticket(&a, "5", &[])?;
    puts(rig, &a, &ticket, &[], "over two shapes")?;
    rig.lacks(&b, "5", "after the other shape's put")?;
    let put = rig.ticket(&a, "6", &[])?;
    let part = part("six", &[], SECOND * 10);
    same(&rig.put(&a, "6", &put, part)?, &Put::Stored, "of a put")?;
    rig.pass(SECOND * 11);
    rig.lacks(&a, "6", "after the end of a put")
}

pub(super) fn a_put_voids_older_tickets(rig: &Rig) -> Verdict {
    let deals = deals();
    let [running, one, two] = [(), (), ()].map(|()| rig.ticket(&deals, "5", &[]));
    let (running, one, two) = (running?, one?, two?);
    puts(rig, &deals, &one, &[], "of the first of two writers")?;
    rig.refuses(
        &deals,
        "5",
        &running,
        part("old", &[], HOUR),
        "that a put overtook",
    )?;
    rig.holds(&deals, "5", "put", "after an older load ended")?;
    deletes(rig, &deals, &two, &[], "of the second of two writers")?;
    deletes(rig, &deals, &one, &[], "that was sent again")
}

pub(super) fn a_put_with_an_old_ticket_deletes(rig: &Rig) -> Verdict {
    let deals = deals();
    for expire in [false, true] {
        let ticket = rig.ticket(&deals, "5", &[])?;
        match expire {
            true => rig.expire(&deals, "5")?,
            false => rig.invalidate(&deals, "5")?,
        }
        rig.fill(&deals, "5", part("new", &[], HOUR))?;
        let running = rig.ticket(&deals, "5", &[])?;
        deletes(rig, &deals, &ticket, &[], "with an old ticket")?;
        rig.refuses(
            &deals,
            "5",
            &running,
            part("new", &[], HOUR),
            "after a put deleted",
        )?;
    }
    Ok(())
}

type Drop = fn(&Rig, &Space) -> Verdict;

pub(super) fn a_put_looks_at_barriers(rig: &Rig) -> Verdict {
    let deals = deals();
    let ticket = rig.ticket(&deals, "5", &["a"])?;
    rig.drop_tag(&deals, "other")?;
    puts(rig, &deals, &ticket, &["a"], "while another tag is dropped")?;
    rig.drop_tag(&deals, "a")?;
    rig.lacks(&deals, "5", "after the tag of a put was dropped")?;
    let ticket = rig.ticket(&deals, "5", &["a"])?;
    puts(rig, &deals, &ticket, &["a", "b"], "with a tag of the value")?;
    rig.drop_tag(&deals, "b")?;
    rig.lacks(
        &deals,
        "5",
        "after a tag was dropped that only the put names",
    )?;
    let drops: [(&str, Drop); 3] = [
        ("a clear", |rig, deals| rig.clear(deals)),
        ("a drop of its tag", |rig, deals| rig.drop_tag(deals, "a")),
        ("a drop of the value's tag", |rig, deals| {
            rig.drop_tag(deals, "b")
        }),
    ];
    for (name, drop) in drops {
        let ticket = rig.ticket(&deals, "5", &["a"])?;
        drop(rig, &deals)?;
        deletes(rig, &deals, &ticket, &["a", "b"], &format!("after {name}"))?;
    }
    Ok(())
}
