//! Odd names, and many keys.

use larder_core::far::{Space, Want};

use super::rig::{HOUR, Rig, deals, part, space};
use crate::contract::Verdict;
use crate::contract::place::same;

/// Names that are patterns of others, parts of them, or a store's own words.
pub(super) const NAMES: [&str; 18] = [
    "cat",
    "cat1",
    "cat[1]",
    "cat*",
    "ca?",
    "",
    "*",
    "CAT",
    "cat:",
    "cat:1",
    "{cat}",
    ":clear",
    "cat:clear",
    ":any",
    "tag:cat",
    "c\u{e4}t",
    "ca\0t",
    "ca\r\nDEL cat\r\n",
];

pub(super) fn fill_all(rig: &Rig, spaces: &[Space]) -> Verdict {
    for space in spaces {
        for key in KEYS {
            rig.fill(space, key, part(space.cache(), &["tag"], HOUR))?;
        }
    }
    Ok(())
}

/// Exactly one cache is empty.
pub(super) fn only_one_is_empty(rig: &Rig, spaces: &[Space], cache: &str, when: &str) -> Verdict {
    for space in spaces {
        let when = format!("in {:?} after {when} of {cache:?}", space.cache());
        for key in KEYS {
            match space.cache() == cache {
                true => rig.lacks(space, key, &when)?,
                false => rig.holds(space, key, space.cache(), &when)?,
            }
        }
    }
    Ok(())
}

const KEYS: [&str; 5] = ["1", "2", "", "cat", ":1"];

pub(super) fn caches_share_nothing(rig: &Rig) -> Verdict {
    let spaces = NAMES.map(|name| space(name, 7));
    fill_all(rig, &spaces)?;
    for one in &spaces {
        rig.clear(one)?;
        only_one_is_empty(rig, &spaces, one.cache(), "a clear")?;
        fill_all(rig, std::slice::from_ref(one))?;
        rig.drop_tag(one, "tag")?;
        only_one_is_empty(rig, &spaces, one.cache(), "a drop of a tag")?;
        fill_all(rig, std::slice::from_ref(one))?;
    }
    Ok(())
}

pub(super) fn tags_share_nothing(rig: &Rig) -> Verdict {
    let deals = deals();
    let long = "x".repeat(10_000);
    let tags = || NAMES.into_iter().chain([long.as_str()]);
    for tag in tags() {
        rig.fill(&deals, tag, part(tag, &[tag], HOUR))?;
    }
    for dropped in tags() {
        rig.drop_tag(&deals, dropped)?;
        for tag in tags() {
            let when = format!("after a drop of the tag {dropped:?}");
            match tag == dropped {
                true => rig.lacks(&deals, tag, &when)?,
                false => rig.holds(&deals, tag, tag, &when)?,
            }
        }
        rig.fill(&deals, dropped, part(dropped, &[dropped], HOUR))?;
    }
    Ok(())
}

/// Keys of any bytes: the names above, what is no text, and long ones that differ at the end.
fn keys() -> Vec<Vec<u8>> {
    let mut keys = NAMES.map(|name| name.as_bytes().to_vec()).to_vec();
    let bytes: [&[u8]; 8] = [
        b"\xff",
        b"\xfe",
        b"\0",
        b"\0\0",
        b"a\0",
        b"\n",
        b" ",
        b"\xef\xbf\xbd",
    ];
    keys.extend(bytes.map(<[u8]>::to_vec));
    for end in [&b""[..], b"y", b"z"] {
        keys.push([&[b'x'; 64 * 1024][..], end].concat());
    }
    keys
}

pub(super) fn keys_share_nothing(rig: &Rig) -> Verdict {
    let deals = deals();
    let keys = keys();
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let tickets = rig.read(&deals, &keys, &[], Want::Load)?;
    for (number, (key, read)) in keys.iter().zip(&tickets).enumerate() {
        let ticket = read.ticket.as_ref().ok_or("no ticket")?;
        let bytes = number.to_string();
        let part = part(&bytes, &["tag"], HOUR);
        rig.run(
            "store_if",
            rig.guarded().store_if(&deals, key, ticket, part),
        )?;
    }
    for gone in 0..=keys.len() {
        let found = rig.read(&deals, &keys, &[], Want::Look)?;
        for (number, read) in found.into_iter().enumerate() {
            let wanted = (number >= gone).then(|| number.to_string());
            let found = read
                .found
                .map(|found| String::from_utf8_lossy(&found.bytes).into_owned());
            same(
                &found,
                &wanted,
                &format!("for key {number} when {gone} were invalidated"),
            )?;
        }
        if let Some(key) = keys.get(gone) {
            rig.run("invalidate", rig.guarded().invalidate(&deals, &[key]))?;
        }
    }
    Ok(())
}

pub(super) fn many_keys_are_answered_in_order(rig: &Rig) -> Verdict {
    let deals = deals();
    same(
        &rig.read(&deals, &[], &["tag"], Want::Load)?.len(),
        &0,
        "answers to no key",
    )?;
    let names: Vec<String> = (0..200).map(|number| format!("{}", number % 150)).collect();
    let keys: Vec<&[u8]> = names.iter().map(String::as_bytes).collect();
    for name in names.iter().take(150).filter(|name| name.ends_with('3')) {
        rig.fill(&deals, name, part(name, &[], HOUR))?;
    }
    for want in [Want::Look, Want::Load] {
        for (name, read) in names.iter().zip(rig.read(&deals, &keys, &["tag"], want)?) {
            let wanted = name.ends_with('3').then(|| name.clone());
            let found = read
                .found
                .map(|found| String::from_utf8_lossy(&found.bytes).into_owned());
            same(&found, &wanted, &format!("for {name}"))?;
            if want == Want::Load {
                let ticket = read.ticket.ok_or("no ticket")?;
                let stored = format!("ticket of {name}");
                rig.stores(&deals, name, &ticket, part(name, &[], HOUR), &stored)?;
            }
        }
    }
    Ok(())
}
