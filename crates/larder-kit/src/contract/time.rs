//! How long bytes are kept.

use std::time::Duration;

use larder_core::{Fetched, Removed, Store, Ttl};

use super::Verdict;
use super::place::{Place, SECOND, at, same};

pub(super) async fn time_left_falls_and_is_never_too_long<S: Store>(place: &Place<S>) -> Verdict {
    place.put(at(b"a"), "value", SECOND * 10).await?;
    for gone in 0..10 {
        let when = format!("{gone} s after a put for 10 s");
        let left = place.found(at(b"a"), &when).await?.left;
        let longest = SECOND * (10 - gone);
        // A store may count in coarser steps than its clock.
        if left > longest || left + SECOND < longest {
            return Err(format!("{left:?} are left {when}"));
        }
        place.hand.advance(SECOND);
    }
    Ok(())
}

pub(super) async fn nothing_is_found_once_its_time_is_over<S: Store>(place: &Place<S>) -> Verdict {
    for key in [b"a", b"b", b"c"] {
        place.put(at(key), "value", SECOND * 10).await?;
    }
    place.put(at(b"long"), "value", SECOND * 20).await?;
    place.hand.advance(SECOND * 9);
    place
        .holds(at(b"a"), b"value", "9 s after a put for 10 s")
        .await?;
    place.hand.advance(SECOND);
    place.lacks(at(b"a"), "10 s after a put for 10 s").await?;
    let many = place.get_many(&[at(b"a"), at(b"b")]).await?;
    same(
        &many,
        &vec![Fetched::Absent; 2],
        "from get_many after their time",
    )?;
    let removed = place.remove(at(b"b")).await?;
    same(&removed, &Removed::Absent, "for bytes whose time was over")?;
    let removed = place.remove_many(&[at(b"c")]).await?;
    same(
        &removed,
        &vec![Removed::Absent],
        "from remove_many after its time",
    )?;
    place
        .holds(at(b"long"), b"value", "10 s after a put for 20 s")
        .await?;
    place.put(at(b"a"), "again", SECOND * 10).await?;
    place
        .holds(at(b"a"), b"again", "after it was put again")
        .await
}

pub(super) async fn reading_prolongs_nothing<S: Store>(place: &Place<S>) -> Verdict {
    place.put(at(b"a"), "value", SECOND * 10).await?;
    for _ in 0..3 {
        place.hand.advance(SECOND * 3);
        place
            .holds(at(b"a"), b"value", "before its time was over")
            .await?;
        place.get_many(&[at(b"a")]).await?;
    }
    place.hand.advance(SECOND);
    place
        .lacks(at(b"a"), "10 s after a put for 10 s, read three times")
        .await
}

pub(super) async fn the_shortest_and_the_longest_time_are_kept<S: Store>(
    place: &Place<S>,
) -> Verdict {
    let (shortest, longest) = (Ttl::MIN.duration(), Ttl::MAX.duration());
    place.put(at(b"long"), "value", longest).await?;
    place.put(at(b"short"), "value", shortest).await?;
    place
        .holds(at(b"short"), b"value", "at once, put for the shortest time")
        .await?;
    place.hand.advance(shortest);
    place.lacks(at(b"short"), "after the shortest time").await?;
    place.hand.advance(Duration::from_secs(3600));
    let left = place
        .found(at(b"long"), "an hour after a put for the longest time")
        .await?
        .left;
    if left > longest {
        return Err(format!("{left:?} are left of the longest time"));
    }
    Ok(())
}
