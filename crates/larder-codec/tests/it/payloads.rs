//! Payloads that no encoder wrote, in frames that are sound.

use std::collections::{BTreeMap, HashMap};

use larder_codec::{
    Codec, DecodeError, Format, Frame, KeyDigest, Postcard, Refusal, Schema, Subject, Times,
};
use larder_core::Address;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

const HERE: Address<'_> = Address::new("deals", b"7");

/// A sound frame around a payload that no encoder wrote.
pub(crate) fn sound_frame(schema: Schema, payload: &[u8]) -> Vec<u8> {
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

fn decode<V: Serialize + DeserializeOwned + 'static>(payload: &[u8]) -> Option<Refusal> {
    let format = Format::<V>::traced(Postcard).unwrap();
    let bytes = sound_frame(format.schema(), payload);
    format.decode(HERE, &bytes).err()
}

#[test]
fn payloads_that_are_no_value_are_refused() {
    assert_eq!(decode::<bool>(&[2]), Some(Refusal::Payload));
    assert_eq!(decode::<String>(&[2, 0xff, 0xfe]), Some(Refusal::Payload));
    assert_eq!(decode::<Option<bool>>(&[3]), Some(Refusal::Payload));
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
    assert_eq!(decode::<HashMap<u8, u8>>(&HUGE), Some(Refusal::Elements));
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

#[derive(Serialize, Deserialize)]
enum Expression {
    Number(i64),
    Sum(Box<Self>, Vec<Self>),
}

/// Many fields on each level, and so much stack.
#[derive(Serialize, Deserialize)]
struct Wide {
    texts: [[String; 32]; 4],
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
        assert_eq!(decode::<Expression>(&[1; 100_000]), Some(Refusal::Depth));
        let listed = [vec![1], deep].concat();
        assert_eq!(decode::<Vec<List>>(&listed), Some(Refusal::Depth));
    });
    on_a_stack_of(1024, || {
        let level = [vec![0; 4 * 32], vec![1]].concat();
        assert_eq!(decode::<Wide>(&level.repeat(1_000)), Some(Refusal::Depth));
        assert_eq!(decode::<Wide>(&[0; 4 * 32 + 1]), None);
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
