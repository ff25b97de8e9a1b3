//! Damaged and hostile bytes: a reason, and never a panic, an overflow or a wrong value.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use larder_codec::{Format, Labels, Postcard, Refusal, Times};
use larder_core::Address;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::payloads::sound_frame;

const HERE: Address<'_> = Address::new("deals", b"7");

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Deal {
    id: u64,
    title: String,
    lines: Vec<Line>,
    prices: BTreeMap<String, Option<i32>>,
    state: State,
}
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Line(u8, [u16; 2]);
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum State {
    Open,
    Sold { to: String },
    Part(Box<Self>, Vec<Self>),
}

fn deal() -> Deal {
    Deal {
        id: 7,
        title: "Lamp".to_owned(),
        lines: vec![Line(1, [2, 3]), Line(4, [5, 600])],
        prices: BTreeMap::from([("DE".to_owned(), Some(-5)), ("FR".to_owned(), None)]),
        state: State::Part(
            Box::new(State::Open),
            vec![State::Sold {
                to: "me".to_owned(),
            }],
        ),
    }
}

fn format() -> &'static Format<Deal> {
    static FORMAT: LazyLock<Format<Deal>> = LazyLock::new(|| Format::traced(Postcard).unwrap());
    &FORMAT
}

fn frame() -> Vec<u8> {
    let tags: &[&str] = &["shelf", "lamp"];
    let labels = Labels {
        tags,
        validator: Some(b"v1"),
    };
    format()
        .encode(HERE, Some(&deal()), Times::default(), &labels)
        .unwrap()
}

fn refusal(bytes: &[u8]) -> Option<Refusal> {
    format().decode(HERE, bytes).err()
}

/// Makes the length and the checksum of a changed frame fit.
pub(crate) fn seal(bytes: &mut [u8]) {
    let end = bytes.len() - 4;
    let sum = xxhash_rust::xxh3::xxh3_64(&bytes[..end]) as u32;
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
}

#[test]
fn the_whole_frame_is_read() {
    let bytes = frame();
    assert_eq!(format().decode(HERE, &bytes).unwrap().value, Some(deal()));
}

#[test]
fn bug_f3_every_truncation_is_refused() {
    let bytes = frame();
    for cut in 0..bytes.len() {
        assert_eq!(
            refusal(&bytes[..cut]),
            Some(Refusal::Truncated),
            "cut at {cut}"
        );
    }
}

#[test]
fn bug_f3_every_flipped_bit_is_refused() {
    let whole = frame();
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            let expected: &[Refusal] = match at {
                0 => &[Refusal::Magic, Refusal::Version],
                28..32 => &[Refusal::Truncated, Refusal::Trailing],
                _ => &[Refusal::Checksum],
            };
            let refused = refusal(&bytes).unwrap();
            assert!(
                expected.contains(&refused),
                "byte {at}, bit {bit}: {refused}"
            );
        }
    }
}

#[test]
fn bug_f3_appended_bytes_are_refused() {
    let appended = [frame(), vec![0, 1, 2]].concat();
    assert_eq!(refusal(&appended), Some(Refusal::Trailing));
    let twice = [frame(), frame()].concat();
    assert_eq!(refusal(&twice), Some(Refusal::Trailing));
}

#[test]
fn bug_f3_what_was_never_a_frame_is_refused() {
    let zeros = vec![0; 10_000];
    let others: [&[u8]; 5] = [b"", b"x", b"{\"id\":7}", b"token token token", &zeros];
    for bytes in others {
        let refused = refusal(bytes);
        assert!(
            matches!(refused, Some(Refusal::Magic | Refusal::Truncated)),
            "{refused:?}"
        );
    }
}

proptest! {
    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(refusal(&bytes).is_some());
    }

    #[test]
    fn any_mutation_is_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 1..=u8::MAX), 1..20),
        cut in prop::option::of(any::<prop::sample::Index>()),
        appended: Vec<u8>,
    ) {
        let whole = frame();
        let mut bytes = whole.clone();
        for (at, xor) in changes {
            let at = at.index(bytes.len());
            bytes[at] ^= xor;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        bytes.extend(appended);
        prop_assert!(refusal(&bytes).is_some() || bytes == whole);
    }

    /// With sums that fit, so that what lies behind them is reached: any answer but a panic.
    #[test]
    fn any_forged_payload_is_answered(payload in prop::collection::vec(any::<u8>(), 0..200)) {
        let bytes = sound_frame(format().schema(), &payload);
        if let Ok(decoded) = format().decode(HERE, &bytes) {
            prop_assert!(decoded.value.is_some());
        }
    }

    #[test]
    fn any_forged_frame_is_answered(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..10),
    ) {
        let mut bytes = frame();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        seal(&mut bytes);
        if let Ok(decoded) = format().decode(HERE, &bytes) {
            prop_assert!(decoded.frame.tags().count() <= bytes.len());
        }
    }
}
