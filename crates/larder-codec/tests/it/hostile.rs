//! Damaged and hostile bytes: a reason, and never a panic, an overflow or a wrong value.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use larder_codec::{
    Codec, DecodeError, Format, Frame, KeyDigest, Labels, Postcard, Refusal, Schema, Subject, Times,
};
use larder_core::Address;
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

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

/// A sound frame around a payload that no encoder wrote.
fn sound_frame(schema: Schema, payload: &[u8]) -> Vec<u8> {
    let subject = Subject {
        key: KeyDigest::new(HERE),
        schema,
        codec: Postcard::ID,
    };
    let mut out = Vec::new();
    let written = Frame::<&str>::new(subject, Times::default()).write_value(&mut out, |out| {
        out.extend_from_slice(payload);
        Ok(())
    });
    written.unwrap();
    out
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

fn decode<V: Serialize + DeserializeOwned + 'static>(payload: &[u8]) -> Option<Refusal> {
    let format = Format::<V>::traced(Postcard).unwrap();
    let bytes = sound_frame(format.schema(), payload);
    format.decode(HERE, &bytes).err()
}

#[test]
fn payloads_that_are_no_value_are_refused() {
    assert_eq!(decode::<bool>(&[2]), Some(Refusal::Payload));
    assert_eq!(decode::<String>(&[2, 0xff, 0xfe]), Some(Refusal::Payload));
    assert_eq!(decode::<State>(&[3]), Some(Refusal::Payload));
    assert_eq!(decode::<u64>(&[0xff; 20]), Some(Refusal::Payload));
    assert_eq!(decode::<u64>(&[]), Some(Refusal::Payload));
    assert_eq!(decode::<u64>(&[1, 0]), Some(Refusal::Surplus));
    assert_eq!(decode::<u64>(&[1]), None);
}

/// 2⁶³ as a length.
const HUGE: [u8; 10] = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01];

#[test]
fn bug_f3_hostile_lengths_are_refused() {
    assert_eq!(decode::<String>(&HUGE), Some(Refusal::Payload));
    assert_eq!(decode::<Vec<u64>>(&HUGE), Some(Refusal::Payload));
    assert_eq!(decode::<BTreeMap<u8, u8>>(&HUGE), Some(Refusal::Elements));
    assert_eq!(
        decode::<std::collections::HashMap<u8, u8>>(&HUGE),
        Some(Refusal::Elements)
    );
    let nested = [&[200; 200][..], &HUGE].concat();
    assert_eq!(decode::<Vec<Vec<u8>>>(&nested), Some(Refusal::Payload));
}

/// Elements that take no bytes would be made until the end of time.
#[test]
fn elements_without_bytes_are_bounded() {
    assert_eq!(decode::<Vec<()>>(&HUGE), Some(Refusal::Elements));
    assert_eq!(decode::<Vec<[u8; 0]>>(&HUGE), Some(Refusal::Elements));
    assert_eq!(decode::<BTreeMap<(), ()>>(&HUGE), Some(Refusal::Elements));
    #[derive(Serialize, Deserialize)]
    struct Skipped {
        #[serde(skip)]
        _wide: [u64; 4],
    }
    assert_eq!(decode::<Vec<Skipped>>(&HUGE), Some(Refusal::Elements));
    let few = |count: usize| {
        let mut bytes = Vec::new();
        Postcard.encode(&vec![(); count], &mut bytes).unwrap();
        Codec::<Vec<()>>::decode(&Postcard, &bytes).map(|units| units.len())
    };
    assert_eq!(few(Postcard::FREE_ELEMENTS), Ok(Postcard::FREE_ELEMENTS));
    assert_eq!(few(Postcard::FREE_ELEMENTS + 3), Err(DecodeError::TooMany));
}

/// Full sequences are never taken for too long, however they are nested.
#[test]
fn every_honest_length_is_read() {
    let value: Vec<Vec<Option<Vec<u8>>>> = vec![vec![Some(vec![7; 100]); 50]; 40];
    let mut bytes = Vec::new();
    Postcard.encode(&value, &mut bytes).unwrap();
    assert_eq!(Postcard.decode(&bytes), Ok(value));
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum List {
    Node(u8, Box<Self>),
    End,
}

fn list(nodes: usize) -> List {
    (0..nodes).fold(List::End, |list, _| List::Node(0, Box::new(list)))
}

/// Many fields on each level, and so much stack.
#[derive(Serialize, Deserialize)]
struct Wide {
    texts: [String; 32],
    numbers: [u64; 32],
    children: Vec<Self>,
}

/// Runs in a thread with a part of the usual 2 MiB, and without optimisation in most runs.
fn on_a_stack_of(kibibytes: usize, test: fn()) {
    let small = std::thread::Builder::new().stack_size(kibibytes * 1024);
    small.spawn(test).unwrap().join().unwrap();
}

#[test]
fn hostile_nesting_overflows_no_stack() {
    on_a_stack_of(512, || {
        let deep = vec![0; 2_000_000];
        assert_eq!(decode::<List>(&deep), Some(Refusal::Depth));
        assert_eq!(decode::<State>(&[2; 100_000]), Some(Refusal::Depth));
        let listed = [vec![1], deep].concat();
        assert_eq!(decode::<Vec<List>>(&listed), Some(Refusal::Depth));
    });
    on_a_stack_of(1024, || {
        let level = [vec![0; 32 + 32], vec![1]].concat();
        assert_eq!(decode::<Wide>(&level.repeat(1_000)), Some(Refusal::Depth));
        assert_eq!(decode::<Wide>(&[0; 65]), None);
    });
}

#[test]
fn nesting_is_read_to_its_limit() {
    let read = |nodes| {
        let mut bytes = Vec::new();
        Postcard.encode(&list(nodes), &mut bytes).unwrap();
        Codec::<List>::decode(&Postcard, &bytes)
    };
    assert_eq!(read(Postcard::DEPTH - 1), Ok(list(Postcard::DEPTH - 1)));
    assert_eq!(read(Postcard::DEPTH), Err(DecodeError::TooDeep));
}

/// Depth is what is open at one time, not what was.
#[test]
fn wide_values_are_not_deep() {
    let wide = vec![(Some(vec![Some(1_u8)]), Some(2_u8)); 1_000];
    let mut bytes = Vec::new();
    Postcard.encode(&wide, &mut bytes).unwrap();
    assert_eq!(Postcard.decode(&bytes), Ok(wide));
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
