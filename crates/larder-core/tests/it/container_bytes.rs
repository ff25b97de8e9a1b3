//! Bytes that are a container, in part or not at all.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use bytes::Bytes;
use larder_core::Ttl;
use larder_core::container::{Container, NoContainer, Part, PartError, Token};
use proptest::prelude::*;

const FIRST: Token = Token::new(*b"first token 1234");

/// Two parts of 23 and 24 bytes behind the token.
fn two_parts() -> Vec<u8> {
    let part = |schema, frame: &'static str| {
        Part::new(schema, &[], Bytes::from_static(frame.as_bytes())).unwrap()
    };
    let second = Duration::from_secs(1);
    let life = Ttl::new(second).unwrap();
    let mut container = Container::new(FIRST);
    container.keep(part(1, "frame"), life, Duration::ZERO);
    container.keep(part(2, "old"), life, second);
    container.to_bytes().to_vec()
}

/// What lies in a store outlives the program that wrote it: these bytes never change.
#[test]
fn fc81_containers_are_written_and_read_as_ever() {
    let golden = b"first token 1234\
        \x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x03\0\0\0old\
        \x01\0\0\0\0\0\0\0\x01\0\x2c\x01\0\0\0\0\x05\0\0\0frame";
    let mut written = two_parts();
    // The second part expired, and 300 ms before the key.
    written[39 + 8] = 1;
    written[39 + 10..39 + 12].copy_from_slice(&[0x2c, 1]);
    assert_eq!(written, golden);
    let read = Container::parse(&Bytes::from_static(golden)).unwrap();
    let old = read.part(1).unwrap();
    assert!(old.is_expired());
    assert_eq!(old.earlier(), Duration::from_millis(300));
    assert_eq!(read.to_bytes(), &golden[..]);
}

fn read(bytes: Vec<u8>) -> (Vec<u64>, Option<PartError>) {
    let container = Container::parse(&Bytes::from(bytes)).unwrap();
    assert_eq!(container.token(), FIRST);
    let schemas = container.parts().map(Part::schema).collect();
    (schemas, container.broken())
}

#[test]
fn wrong_bytes_cost_the_part_that_they_are_in() {
    let whole = two_parts();
    assert_eq!(read(whole.clone()), (vec![2, 1], None));
    let changed = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        read(bytes)
    };
    // The flags of the first part, then of the second.
    assert_eq!(changed(16 + 8, 2), (vec![1], Some(PartError::Flags)));
    assert_eq!(changed(39 + 8, 0x81), (vec![2], Some(PartError::Flags)));
    // The second part claims a barrier and a frame that are not there; then the first.
    assert_eq!(changed(39 + 9, 1), (vec![2], Some(PartError::Truncated)));
    assert_eq!(changed(39 + 19, 255), (vec![2], Some(PartError::Truncated)));
    assert_eq!(changed(16 + 19, 255), (vec![], Some(PartError::Truncated)));
    assert_eq!(changed(39, 2), (vec![2], Some(PartError::Twice)));
    let third = [&whole[..], &[0]].concat();
    assert_eq!(read(third), (vec![2, 1], Some(PartError::Trailing)));
}

#[test]
fn a_container_that_is_cut_keeps_what_is_whole() {
    let whole = two_parts();
    for cut in 0..16 {
        let bytes = Bytes::copy_from_slice(&whole[..cut]);
        assert_eq!(Container::parse(&bytes), Err(NoContainer));
    }
    for cut in 16..whole.len() {
        let parts = match cut {
            ..39 => vec![],
            39.. => vec![2],
        };
        let broken = (cut != 16 && cut != 39).then_some(PartError::Truncated);
        assert_eq!(read(whole[..cut].to_vec()), (parts, broken), "cut at {cut}");
    }
}

/// A token lets its holder store, and a frame holds a value: neither is for logs.
#[test]
fn debug_shows_neither_token_nor_frame() {
    let container = Container::parse(&Bytes::from(two_parts())).unwrap();
    let shown = format!("{container:?} {:?}", container.token());
    assert!(shown.contains("frame: 5 bytes") && shown.ends_with("Token(..)"));
    for secret in ["first token", "\"frame\"", "102, 105", "102, 114"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

proptest! {
    /// Whatever lies under a key: never a panic, and at most what is there comes back.
    #[test]
    fn any_bytes_are_read(
        mut bytes in prop::collection::vec(any::<u8>(), 0..200),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        whole: bool,
    ) {
        if whole {
            bytes = two_parts();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
        let size = bytes.len();
        if let Ok(container) = Container::parse(&Bytes::from(bytes)) {
            prop_assert!(container.to_bytes().len() <= size);
            prop_assert_eq!(container.to_bytes().len() < size, container.broken().is_some());
        }
    }
}
