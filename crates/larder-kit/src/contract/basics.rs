//! One entry at a time.

use larder_core::{Removed, Store};

use super::Verdict;
use super::place::{HOUR, Place, SECOND, at, same};

pub(super) async fn what_was_put_comes_back<S: Store>(place: &Place<S>) -> Verdict {
    let every_byte: Vec<u8> = (0..=u8::MAX).collect();
    let large: Vec<u8> = every_byte.iter().copied().cycle().take(1 << 20).collect();
    let payloads = [&b"value"[..], b"", b"\0", b"\r\n", &every_byte, &large];
    for (number, payload) in payloads.into_iter().enumerate() {
        let key = [number as u8];
        place.put(at(&key), payload.to_vec(), HOUR).await?;
        let when = format!("after {} bytes were put", payload.len());
        place.holds(at(&key), payload, &when).await?;
    }
    Ok(())
}

pub(super) async fn nothing_is_there_before<S: Store>(place: &Place<S>) -> Verdict {
    place.lacks(at(b"a"), "in an empty store").await?;
    let removed = place.remove(at(b"a")).await?;
    same(
        &removed,
        &Removed::Absent,
        "when there was nothing to remove",
    )
}

pub(super) async fn put_replaces_bytes_and_time<S: Store>(place: &Place<S>) -> Verdict {
    place.put(at(b"a"), "first", SECOND * 100).await?;
    place.put(at(b"a"), "second", SECOND * 10).await?;
    place
        .holds(at(b"a"), b"second", "after the second put")
        .await?;
    let left = place.found(at(b"a"), "after the second put").await?.left;
    if left > SECOND * 10 {
        return Err(format!("{left:?} are left of a second put for 10 s"));
    }
    place.put(at(b"a"), "", SECOND * 100).await?;
    place.holds(at(b"a"), b"", "after the third put").await?;
    place.hand.advance(SECOND * 50);
    place
        .holds(at(b"a"), b"", "50 s after a third put for 100 s")
        .await
}

pub(super) async fn remove_removes_and_says_so<S: Store>(place: &Place<S>) -> Verdict {
    for payload in ["value", ""] {
        place.put(at(b"a"), payload, HOUR).await?;
        place.put(at(b"b"), "other", HOUR).await?;
        let removed = place.remove(at(b"a")).await?;
        same(&removed, &Removed::Removed, "for bytes that were there")?;
        place.lacks(at(b"a"), "after it was removed").await?;
        let again = place.remove(at(b"a")).await?;
        same(&again, &Removed::Absent, "when it was removed before")?;
        place
            .holds(at(b"b"), b"other", "after another was removed")
            .await?;
    }
    Ok(())
}
