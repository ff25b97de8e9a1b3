//! Many entries at once.

use larder_core::{Fetched, Removed, Store};

use super::Verdict;
use super::place::{HOUR, Place, at, same};

pub(super) async fn get_many_answers_in_order<S: Store>(place: &Place<S>) -> Verdict {
    same(
        &place.get_many(&[]).await?.len(),
        &0,
        "answers to no address",
    )?;
    for key in [b"a", b"b", b"c"] {
        place.put(at(key), key.to_vec(), HOUR).await?;
    }
    place.put(at(b"empty"), "", HOUR).await?;
    let asked = [&b"c"[..], b"none", b"a", b"empty", b"c", b"b", b"none"];
    let got = place.get_many(&asked.map(at)).await?;
    let bytes = |fetched: &Fetched| match fetched {
        Fetched::Found(found) => Some(found.bytes.to_vec()),
        Fetched::Absent => None,
    };
    let got: Vec<_> = got.iter().map(bytes).collect();
    let wanted = [
        Some("c"),
        None,
        Some("a"),
        Some(""),
        Some("c"),
        Some("b"),
        None,
    ];
    let wanted = wanted.map(|text| text.map(|text| text.as_bytes().to_vec()));
    same(&got, &wanted.to_vec(), "from get_many")
}

pub(super) async fn remove_many_answers_in_order<S: Store>(place: &Place<S>) -> Verdict {
    same(
        &place.remove_many(&[]).await?.len(),
        &0,
        "answers to no address",
    )?;
    for key in [b"a", b"b", b"c"] {
        place.put(at(key), key.to_vec(), HOUR).await?;
    }
    let asked = [&b"c"[..], b"none", b"a", b"c"];
    let got = place.remove_many(&asked.map(at)).await?;
    let wanted = [
        Removed::Removed,
        Removed::Absent,
        Removed::Removed,
        Removed::Absent,
    ];
    same(&got, &wanted.to_vec(), "from remove_many")?;
    place.lacks(at(b"a"), "after remove_many").await?;
    place.lacks(at(b"c"), "after remove_many").await?;
    place
        .holds(at(b"b"), b"b", "after remove_many of others")
        .await
}
