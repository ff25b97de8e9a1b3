//! Compressed and encrypted values.

use std::sync::Arc;

use allocation_counter::measure;
use larder_codec::{Format, FrameRef, Json, Keys, Labels, Postcard, Refusal, Times};
use larder_core::Address;
use proptest::prelude::*;

use super::hostile::seal;

const HERE: Address<'_> = Address::new("users", b"7");
const THERE: Address<'_> = Address::new("users", b"8");
const CANARY: &str = "ada@example.org";

fn plain() -> Format<String> {
    Format::traced(Postcard).unwrap()
}

fn compressed() -> Format<String> {
    plain().compressed(64)
}

fn keys(id: u32, key: u8) -> Keys {
    Keys::new(id, [key; 32])
}

fn encrypted() -> Format<String> {
    plain().encrypted(Arc::new(keys(1, 1)))
}

fn both() -> Format<String> {
    encrypted().compressed(64)
}

fn written(format: &Format<String>, at: Address<'_>, value: Option<&str>) -> Vec<u8> {
    let labels = Labels {
        tags: &["shelf"],
        validator: Some(b"v1"),
    };
    let value = value.map(str::to_owned);
    let written = format.encode(at, value.as_ref(), Times::default(), &labels);
    written.unwrap()
}

fn read(format: &Format<String>, bytes: &[u8]) -> Result<Option<String>, Refusal> {
    format.decode(HERE, bytes).map(|read| read.value)
}

#[test]
fn fc80_wrapped_values_and_absences_come_back() {
    let long = "long ".repeat(1_000);
    for format in [plain(), compressed(), encrypted(), both()] {
        for value in [None, Some(""), Some("short"), Some(&long)] {
            let bytes = written(&format, HERE, value);
            assert_eq!(read(&format, &bytes).unwrap().as_deref(), value);
        }
    }
}

#[test]
fn only_what_becomes_smaller_is_compressed() {
    let is_compressed = |value: &str| {
        let bytes = written(&compressed(), HERE, Some(value));
        FrameRef::parse(&bytes).unwrap().is_compressed()
    };
    assert!(is_compressed(&"a".repeat(64)));
    // Under the threshold; of no smaller form; over what would be expanded again.
    assert!(!is_compressed(&"a".repeat(62)));
    let noise: String = std::iter::successors(Some(1_u32), |last| {
        let next = last ^ last << 13;
        let next = next ^ next >> 17;
        Some(next ^ next << 5)
    })
    .map(|number| char::from(b' ' + (number >> 24) as u8 % 95))
    .take(1_000)
    .collect();
    assert!(!is_compressed(&noise));
    assert!(!is_compressed(&"a".repeat((16 << 20) + 1)));
    let small = written(&compressed(), HERE, Some(&"a".repeat(10_000)));
    assert!(small.len() < 200, "{}", small.len());
}

/// So a deploy that turns it on or off makes no misses.
#[test]
fn compressed_values_are_read_by_all() {
    let long = "long ".repeat(1_000);
    let bytes = written(&compressed(), HERE, Some(&long));
    assert_eq!(read(&plain(), &bytes), Ok(Some(long)));
    let bytes = written(&plain(), HERE, Some("short"));
    assert_eq!(read(&compressed(), &bytes), Ok(Some("short".to_owned())));
}

/// A frame with this payload, marked as compressed, its sums right.
fn forged(payload: &[u8]) -> Vec<u8> {
    let mut bytes = written(&plain(), HERE, Some("x"));
    bytes.truncate(bytes.len() - 4 - 2);
    bytes.extend_from_slice(payload);
    let length = u32::try_from(bytes.len() - 32).unwrap();
    bytes[28..32].copy_from_slice(&length.to_le_bytes());
    bytes[1] |= 2;
    bytes.extend_from_slice(&[0; 4]);
    seal(&mut bytes);
    bytes
}

/// LZ4 whose every byte says 255 more of the byte before.
fn bomb(claimed: u32) -> Vec<u8> {
    let mut payload = claimed.to_le_bytes().to_vec();
    payload.extend_from_slice(&[0x1f, b'a', 1, 0]);
    payload.extend_from_slice(&[0xff; 10_000]);
    payload.extend_from_slice(&[0x00, 0x50]);
    payload.extend_from_slice(b"aaaaa");
    payload
}

#[test]
fn bug_f6_ten_kilobytes_do_not_become_a_gibibyte() {
    for claimed in [1 << 30, u32::MAX, (16 << 20) + 1] {
        let bytes = forged(&bomb(claimed));
        let measured = measure(|| {
            assert_eq!(read(&plain(), &bytes), Err(Refusal::Expansion));
        });
        assert!(measured.bytes_max < 64 * 1024, "{}", measured.bytes_max);
    }
    // A claim that the bytes could keep, and do not: no more than it is set aside.
    for claimed in [1 << 20, 0] {
        let bytes = forged(&bomb(claimed));
        let measured = measure(|| {
            assert_eq!(read(&plain(), &bytes), Err(Refusal::Expansion));
        });
        assert!(measured.bytes_max < (1 << 20) + 64 * 1024);
    }
}

#[test]
fn bug_f3_no_damage_to_a_compressed_payload_panics() {
    let long = "long and longer ".repeat(20);
    let whole = written(&compressed(), HERE, Some(&long));
    let start = whole.len() - 4 - FrameRef::parse(&whole).unwrap().payload().len();
    for at in start..whole.len() - 4 {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            seal(&mut bytes);
            assert_ne!(read(&plain(), &bytes), Ok(None));
        }
    }
    for cut in 0..whole.len() - 4 - start {
        let payload = &whole[start..start + cut];
        assert!(read(&plain(), &forged(payload)).is_err(), "cut at {cut}");
    }
}

#[test]
fn no_value_lies_readable_when_it_is_encrypted() {
    let contains = |bytes: &[u8]| {
        bytes
            .windows(CANARY.len())
            .any(|part| part == CANARY.as_bytes())
    };
    assert!(contains(&written(&plain(), HERE, Some(CANARY))));
    assert!(!contains(&written(&encrypted(), HERE, Some(CANARY))));
    let long = CANARY.repeat(100);
    assert!(!contains(&written(&both(), HERE, Some(&long))));
    let json = Format::<String>::traced(Json).unwrap();
    let json = json.encrypted(Arc::new(keys(1, 1)));
    assert!(!contains(&written(&json, HERE, Some(CANARY))));
}

#[test]
fn the_same_value_is_never_encrypted_to_the_same_bytes() {
    let one = written(&encrypted(), HERE, Some(CANARY));
    let other = written(&encrypted(), HERE, Some(CANARY));
    assert_ne!(one, other);
    assert_eq!(one.len(), other.len());
    assert_eq!(one.len(), written(&plain(), HERE, Some(CANARY)).len() + 44);
}

/// The digest of the key in the header is made to fit, as one who can write to the store can do.
#[test]
fn a_swapped_entry_is_a_miss() {
    let mine = written(&encrypted(), HERE, Some("mine"));
    let other = written(&encrypted(), THERE, Some("other"));
    assert_eq!(read(&encrypted(), &other), Err(Refusal::Key));
    let mut swapped = other;
    swapped[11..19].copy_from_slice(&mine[11..19]);
    seal(&mut swapped);
    assert_eq!(read(&encrypted(), &swapped), Err(Refusal::Seal));
}

/// Every bit, with the checksum made to fit: header, labels, number, nonce, value and tag.
#[test]
fn an_edited_header_is_a_miss() {
    for value in [Some("mine"), None] {
        let whole = written(&encrypted(), HERE, value);
        for at in 0..whole.len() - 4 {
            for bit in 0..8 {
                let mut bytes = whole.clone();
                bytes[at] ^= 1 << bit;
                seal(&mut bytes);
                let refused = read(&encrypted(), &bytes);
                assert!(refused.is_err(), "byte {at}, bit {bit}: {refused:?}");
            }
        }
    }
}

#[test]
fn a_value_cannot_be_replaced_by_a_plain_one_nor_by_its_absence() {
    for value in [Some("forged"), None] {
        let bytes = written(&plain(), HERE, value);
        assert_eq!(read(&encrypted(), &bytes), Err(Refusal::Codec));
    }
    // The sealed value with the flag of an absence, and the payload taken away.
    let mut bytes = written(&encrypted(), HERE, Some("mine"));
    bytes[1] |= 1;
    seal(&mut bytes);
    assert_eq!(read(&encrypted(), &bytes), Err(Refusal::Seal));
}

#[test]
fn a_reader_without_keys_reads_nothing() {
    for value in [Some("mine"), None] {
        let bytes = written(&encrypted(), HERE, value);
        assert_eq!(read(&plain(), &bytes), Err(Refusal::Codec));
    }
}

#[test]
fn keys_are_rotated_in_two_deploys() {
    let of = |keys: Keys| plain().encrypted(Arc::new(keys));
    let old = of(keys(1, 1));
    let first = of(keys(1, 1).also(2, [2; 32]));
    let second = of(keys(2, 2).also(1, [1; 32]));
    let new = of(keys(2, 2));
    let before = written(&old, HERE, Some("before"));
    let after = written(&second, HERE, Some("after"));
    for reader in [&old, &first, &second] {
        assert_eq!(read(reader, &before), Ok(Some("before".to_owned())));
    }
    for reader in [&first, &second, &new] {
        assert_eq!(read(reader, &after), Ok(Some("after".to_owned())));
    }
    assert_eq!(read(&old, &after), Err(Refusal::Codec));
    assert_eq!(read(&new, &before), Err(Refusal::Codec));
}

#[test]
fn another_key_of_the_same_number_is_no_key_and_two_are_both_tried() {
    let bytes = written(&encrypted(), HERE, Some("mine"));
    let wrong = plain().encrypted(Arc::new(keys(1, 2)));
    assert_eq!(read(&wrong, &bytes), Err(Refusal::Seal));
    let two = plain().encrypted(Arc::new(keys(1, 2).also(1, [1; 32])));
    assert_eq!(read(&two, &bytes), Ok(Some("mine".to_owned())));
}

#[test]
fn debug_shows_no_key() {
    let keys = Keys::new(8, [0xab; 32]).also(7, [0xcd; 32]);
    let keys = Arc::new(keys);
    let shown = format!("{keys:?} {:#?}", plain().encrypted(Arc::clone(&keys)));
    for secret in ["ab, ab", "171", "205", "cd"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

proptest! {
    #[test]
    fn any_forged_seal_is_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..10),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let whole = written(&both(), HERE, Some(CANARY));
        let mut bytes = whole.clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()).max(4));
        }
        seal(&mut bytes);
        prop_assert!(read(&both(), &bytes).is_err() || bytes == whole);
    }

    #[test]
    fn any_forged_compression_is_answered(payload in prop::collection::vec(any::<u8>(), 0..300)) {
        let refused = read(&plain(), &forged(&payload));
        prop_assert!(refused != Ok(None));
    }
}
