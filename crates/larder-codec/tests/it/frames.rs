//! What is written is read; whatever else lies under a key is refused.

use std::time::Duration;

use larder_codec::{
    EncodeError, Frame, FrameRef, KeyDigest, Kind, Refusal, Schema, Subject, Times,
};
use larder_core::Address;
use proptest::prelude::*;

use super::hostile::seal;

fn subject() -> Subject {
    Subject {
        key: KeyDigest::new(Address::new("deals", b"7")),
        schema: Schema::numbered(1, 1),
        codec: 1,
    }
}

fn value(frame: &Frame<'_, impl AsRef<str>>, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let write = |out: &mut Vec<u8>| {
        out.extend_from_slice(payload);
        Ok(())
    };
    frame.write_value(&mut out, write).unwrap();
    out
}

fn any_times() -> impl Strategy<Value = Times> {
    // Up to 73 years, of every size.
    let time =
        || (any::<u64>(), 3..64_u32).prop_map(|(bits, small)| Duration::from_nanos(bits >> small));
    (time(), time(), time(), time()).prop_map(|(ttl, stale, age, cost)| Times {
        ttl,
        stale,
        age,
        cost,
    })
}

proptest! {
    #[test]
    fn fc80_what_is_written_is_read(
        (key, schema, codec) in any::<(Vec<u8>, u64, u8)>(),
        times in any_times(),
        tags in prop::collection::vec("\\PC{0,8}", 0..6),
        validator: Option<Vec<u8>>,
        (compressed, encrypted) in any::<(bool, bool)>(),
        payload: Option<Vec<u8>>,
    ) {
        let frame = Frame {
            subject: Subject {
                key: KeyDigest::new(Address::new("deals", &key)),
                schema: Schema::from_bits(schema),
                codec,
            },
            times,
            tags: &tags,
            validator: validator.as_deref(),
            compressed,
            encrypted,
        };
        let mut bytes = Vec::new();
        match &payload {
            Some(_) => bytes = value(&frame, payload.as_deref().unwrap()),
            None => frame.write_absence(&mut bytes).unwrap(),
        }
        let read = FrameRef::parse(&bytes).unwrap();
        prop_assert_eq!(read.subject(), frame.subject);
        prop_assert_eq!(frame.subject.check(&read), Ok(()));
        prop_assert_eq!(read.times(), times.rounded());
        prop_assert_eq!(read.tags().len(), tags.len());
        prop_assert!(read.tags().eq(tags.iter().map(String::as_str)));
        prop_assert_eq!(read.validator(), validator.as_deref());
        prop_assert_eq!(read.payload(), payload.as_deref().unwrap_or_default());
        prop_assert_eq!(read.kind() == Kind::Value, payload.is_some());
        prop_assert_eq!(read.is_compressed(), compressed && payload.is_some());
        prop_assert_eq!(read.is_encrypted(), encrypted && payload.is_some());
    }

    #[test]
    fn rounding_never_makes_a_value_fresher(times in any_times()) {
        let rounded = times.rounded();
        prop_assert!(rounded.ttl <= times.ttl);
        prop_assert!(rounded.stale >= times.stale && rounded.age >= times.age);
        // There is no room for a load of more than half a year.
        let cost = times.cost.min(Duration::from_secs(182 * 24 * 3600));
        prop_assert!(rounded.cost >= cost);
        prop_assert_eq!(rounded.rounded(), rounded);
    }
}

/// Callers hand over a buffer in which something lies already.
#[test]
fn a_frame_is_appended_and_a_failure_leaves_nothing() {
    let frame = Frame::<&str>::new(subject(), Times::default());
    let mut out = b"before".to_vec();
    let failed = frame.write_value(&mut out, |out| {
        out.extend_from_slice(b"half a value");
        Err(EncodeError::Value)
    });
    assert_eq!(failed, Err(EncodeError::Value));
    assert_eq!(out, b"before");
    frame.write_absence(&mut out).unwrap();
    assert_eq!(&out[..6], b"before");
    assert_eq!(FrameRef::parse(&out[6..]).unwrap().kind(), Kind::Absence);
}

#[test]
fn bug_f5_what_is_too_long_for_a_frame_is_an_error() {
    let mut out = Vec::new();
    let most = "x".repeat(usize::from(u16::MAX));
    let more = "x".repeat(usize::from(u16::MAX) + 1);
    let frame = Frame::<&str>::new(subject(), Times::default());
    let tags = [&most[..]];
    Frame {
        tags: &tags,
        validator: Some(most.as_bytes()),
        ..frame
    }
    .write_absence(&mut out)
    .unwrap();
    assert_eq!(
        FrameRef::parse(&out).unwrap().tags().next(),
        Some(&most[..])
    );
    out.clear();
    let tags = [&more[..]];
    let tagged = Frame {
        tags: &tags,
        ..frame
    };
    assert_eq!(tagged.write_absence(&mut out), Err(EncodeError::TooLong));
    let tags = vec![""; usize::from(u16::MAX) + 1];
    let tagged = Frame {
        tags: &tags,
        ..frame
    };
    assert_eq!(tagged.write_absence(&mut out), Err(EncodeError::TooLong));
    let validated = Frame {
        validator: Some(more.as_bytes()),
        ..frame
    };
    assert_eq!(validated.write_absence(&mut out), Err(EncodeError::TooLong));
    assert!(out.is_empty());
}

/// Frames whose checksum fits and which no version ever wrote.
#[test]
fn forged_frames_are_refused_for_what_is_wrong() {
    let tags: &[&str] = &["shelf"];
    let frame = Frame {
        tags,
        ..Frame::new(subject(), Times::default())
    };
    let whole = value(&frame, b"payload");
    let changed = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        seal(&mut bytes);
        FrameRef::parse(&bytes).err()
    };
    assert_eq!(changed(0, 0x41), Some(Refusal::Magic));
    assert_eq!(changed(0, 0xC2), Some(Refusal::Version));
    for unknown in [1 << 5, 1 << 6, 1 << 7] {
        assert_eq!(changed(1, unknown), Some(Refusal::Flags));
    }
    // An absence of seven bytes, or a compressed one.
    assert_eq!(changed(1, 0b1001), Some(Refusal::Kind));
    assert_eq!(changed(28, 15), Some(Refusal::Trailing));
    assert_eq!(changed(28, 17), Some(Refusal::Truncated));
    assert_eq!(changed(31, 255), Some(Refusal::Truncated));
    // More tags than there are, a longer one, one that is no text.
    assert_eq!(changed(32, 3), Some(Refusal::Length));
    assert_eq!(changed(35, 255), Some(Refusal::Length));
    assert_eq!(changed(36, 255), Some(Refusal::Length));
    // As a validator the first two bytes are a length too.
    assert_eq!(changed(1, 0b10000), None);
    let mut bytes = Vec::new();
    Frame::<&str>::new(subject(), Times::default())
        .write_absence(&mut bytes)
        .unwrap();
    bytes[1] = 0b11;
    seal(&mut bytes);
    assert_eq!(FrameRef::parse(&bytes).err(), Some(Refusal::Kind));
}

#[test]
fn a_subject_tells_what_differs() {
    let mut bytes = Vec::new();
    Frame::<&str>::new(subject(), Times::default())
        .write_absence(&mut bytes)
        .unwrap();
    let frame = FrameRef::parse(&bytes).unwrap();
    let key = KeyDigest::new(Address::new("deals", b"8"));
    let schema = Schema::numbered(2, 1);
    assert_eq!(subject().check(&frame), Ok(()));
    assert_eq!(
        Subject { key, ..subject() }.check(&frame),
        Err(Refusal::Key)
    );
    assert_eq!(
        Subject {
            schema,
            ..subject()
        }
        .check(&frame),
        Err(Refusal::Schema)
    );
    assert_eq!(
        Subject {
            codec: 2,
            ..subject()
        }
        .check(&frame),
        Err(Refusal::Codec)
    );
}

#[test]
fn every_refusal_has_a_name_of_its_own() {
    let names: std::collections::BTreeSet<_> = Refusal::ALL.iter().map(|why| why.name()).collect();
    assert_eq!(names.len(), Refusal::ALL.len());
    let foreign: Vec<_> = Refusal::ALL.iter().filter(|why| why.is_foreign()).collect();
    assert_eq!(
        foreign,
        [&Refusal::Version, &Refusal::Schema, &Refusal::Codec]
    );
}

/// Tags and payloads are not for logs.
#[test]
fn debug_shows_no_bytes() {
    let tags: &[&str] = &["user-17"];
    let frame = Frame {
        tags,
        validator: Some(b"etag"),
        ..Frame::new(subject(), Times::default())
    };
    let bytes = value(&frame, b"secret");
    let read = FrameRef::parse(&bytes).unwrap();
    let shown = format!("{frame:?} {read:?} {:?}", read.tags());
    assert!(shown.contains("payload: 6"), "{shown}");
    for secret in ["user-17", "etag", "secret", "115, 101"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}
