//! What reading and writing allocate.

use std::collections::{BTreeMap, HashMap};

use allocation_counter::measure;
use larder_codec::{Codec, Format, FrameRef, Labels, Postcard, Times};
use larder_core::Address;
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

const HERE: Address<'_> = Address::new("deals", b"7");
const HUGE: [u8; 10] = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01];

#[derive(Serialize, Deserialize)]
struct Tree {
    value: u64,
    children: Vec<Self>,
}

/// The most bytes that decoding held at one time.
fn most<V: Serialize + DeserializeOwned>(payload: &[u8]) -> u64 {
    let measured = measure(|| {
        let _: Result<V, _> = Postcard.decode(payload);
    });
    measured.bytes_max
}

#[test]
fn bug_f3_a_claimed_length_costs_no_memory() {
    for claim in [&HUGE[..], &[0xff, 0xff, 0xff, 0x7f]] {
        let nested = [&[0, 1].repeat(100), claim].concat();
        assert!(most::<Vec<u64>>(claim) < 32 * 1024);
        assert!(most::<Vec<Vec<u64>>>(claim) < 32 * 1024);
        assert!(most::<HashMap<u64, String>>(claim) < 64 * 1024);
        assert!(most::<BTreeMap<u64, String>>(claim) < 32 * 1024);
        assert!(most::<String>(claim) < 1024);
        assert!(most::<Tree>(&nested) < 64 * 1024);
    }
}

/// Sequences within each other that each claim what is left: all that is set aside for them together
/// is in proportion to the bytes, not to bytes times depth.
#[test]
fn nested_claims_do_not_add_up() {
    let bytes = vec![100; 100_000];
    let element = size_of::<Tree>() as u64;
    assert!(most::<Tree>(&bytes) < (100_000 + 1_024) * element * 2);
}

proptest! {
    #[test]
    fn memory_is_bounded_by_the_bytes(payload in prop::collection::vec(any::<u8>(), 0..400)) {
        let bound = (payload.len() as u64 + Postcard::FREE_ELEMENTS as u64) * 128;
        prop_assert!(most::<Tree>(&payload) <= bound);
        prop_assert!(most::<Vec<Vec<Option<String>>>>(&payload) <= bound);
        prop_assert!(most::<HashMap<u8, Vec<(String, [u64; 4])>>>(&payload) <= bound * 2);
        prop_assert!(most::<Vec<BTreeMap<String, ()>>>(&payload) <= bound * 2);
    }
}

#[test]
fn a_frame_is_parsed_without_allocation() {
    let format = Format::<String>::traced(Postcard).unwrap();
    let tags: &[&str] = &["shelf", "lamp"];
    let labels = Labels {
        tags,
        validator: Some(b"v1"),
    };
    let title = "Lamp".to_owned();
    let bytes = format
        .encode(HERE, Some(&title), Times::default(), &labels)
        .unwrap();
    let measured = measure(|| {
        let frame = FrameRef::parse(&bytes).unwrap();
        assert_eq!(frame.tags().last(), Some("lamp"));
    });
    assert_eq!(measured.count_total, 0);
    let measured = measure(|| {
        format.decode(HERE, &bytes).unwrap();
    });
    assert_eq!(measured.count_total, 1, "the text");
}

/// Header, labels and value go into one buffer, which from the second time on is large enough.
#[test]
fn a_frame_is_written_into_one_buffer() {
    let format = Format::<Vec<u64>>::traced(Postcard).unwrap();
    let labels = Labels::<&str>::default();
    let value: Vec<u64> = (0..1_000).collect();
    let encode = || {
        format
            .encode(HERE, Some(&value), Times::default(), &labels)
            .unwrap()
    };
    let first = encode();
    let measured = measure(|| {
        let again = encode();
        assert_eq!(again.len(), again.capacity());
    });
    assert_eq!(measured.count_total, 1);
    assert_eq!(measured.bytes_total, first.len() as u64);
}

/// The room that a large frame leads to expect is not kept by a small one.
#[test]
fn a_small_frame_after_a_large_one_is_small() {
    let format = Format::<Vec<u64>>::traced(Postcard).unwrap();
    let labels = Labels::<&str>::default();
    let encode = |count| {
        let value: Vec<u64> = (0..count).collect();
        format
            .encode(HERE, Some(&value), Times::default(), &labels)
            .unwrap()
    };
    encode(100_000);
    assert!(encode(10).capacity() < 200);
}
