//! How the figures stand to the goals.

use super::SIZES;
use super::figure::Figure;
use super::parts;
use super::room::Room;
use super::subjects::{CACHED, GUARDED_HIT, MOKA, STATIC};
use super::table::ratio;
use larder_report::{Verdict, number};

/// A verdict for every goal that a run of this kind covers; ratios are those of the smaller size.
pub(super) fn verdicts(figures: &[Figure], rooms: &[Room]) -> Vec<Verdict> {
    let [small, large] = SIZES;
    let raw = |subject| {
        let at_large = number(ratio(figures, subject, large));
        let note = format!("{at_large}× among {} entries", number(large as f64));
        (ratio(figures, subject, small), note)
    };
    let (plain, plain_note) = raw(STATIC);
    let (guarded, guarded_note) = raw(GUARDED_HIT);
    let row = "hit through `#[cacheable]`, u64 key";
    let guarded_row = "hit with two tags, a stale window and a blind ttl";
    let mut verdicts = vec![
        Verdict::lower(row, "raw quick_cache get", plain)
            .floor(2.0)
            .goal(1.4)
            .note(plain_note),
        Verdict::lower(guarded_row, "raw quick_cache get", guarded)
            .floor(4.0)
            .goal(2.0)
            .note(guarded_note),
    ];
    // A peer's ratio to the same baseline over ours is how many times faster ours is.
    let faster = |peer| ratio(figures, peer, small) / plain;
    let rate = "hits a second through `#[cacheable]`, u64 key";
    verdicts.push(
        Verdict::higher(rate, "moka::future get", faster(MOKA))
            .floor(1.0)
            .goal(8.0),
    );
    verdicts.push(Verdict::higher(rate, "`#[cached]`", faster(CACHED)).floor(1.0));
    verdicts.extend(room(rooms));
    verdicts.extend(PAIRS.map(|(row, ours, peer)| {
        let of_raw = |part| ratio(figures, part, parts::CAPACITY);
        Verdict::lower(row, "moka get_with", of_raw(ours) / of_raw(peer))
    }));
    verdicts
}

/// What moka does as well, without a goal: our part, and moka's.
const PAIRS: [(&str, &str, &str); 3] = [
    (
        "a miss, its load ready at once, in the caller's task",
        parts::SCOPED,
        parts::MOKA_MISS,
    ),
    (
        "a miss, its load ready at once, detached",
        parts::DETACHED,
        parts::MOKA_MISS,
    ),
    (
        "a load that 16 wait for, detached",
        parts::FLIGHT,
        parts::MOKA_FLIGHT,
    ),
];

fn room(rooms: &[Room]) -> Option<Verdict> {
    let [raw, ours, tagged, ..] = rooms else {
        return None;
    };
    let verdict = Verdict::lower(
        "a small near entry beside its value",
        "quick_cache",
        ours.bytes,
    );
    let note = format!(
        "{} bytes more with a tag",
        number(tagged.bytes - ours.bytes)
    );
    Some(
        verdict
            .unit("bytes", raw.bytes)
            .floor(120.0)
            .goal(90.0)
            .note(note),
    )
}
