//! Frames as they were written once. What lies in a store outlives the program that wrote it, so the
//! file of a version is never changed: a new version gets a file of its own.

use std::time::Duration;

use larder_codec::{Frame, FrameRef, KeyDigest, Kind, Schema, Subject, Times};
use larder_core::Address;

use super::hex;

const V1: &str = include_str!("../golden/v1.txt");

fn frame<'a>() -> Frame<'a> {
    let subject = Subject {
        key: KeyDigest::new(Address::new("deals", b"7")),
        schema: Schema::from_bits(0x1122_3344_5566_7788),
        codec: 1,
    };
    let times = Times {
        ttl: Duration::from_secs(300),
        stale: Duration::from_secs(60),
        age: Duration::from_millis(1_500),
        cost: Duration::from_millis(12),
    };
    Frame::new(subject, times)
}

type Case = (&'static str, Frame<'static>, Option<&'static [u8]>);

const PAYLOAD: Option<&[u8]> = Some(b"payload");

/// Each frame of the file, by its name.
fn frames() -> Vec<Case> {
    let mut all = vec![
        ("value", frame(), PAYLOAD),
        ("empty-value", frame(), Some(b"")),
        ("absence", frame(), None),
    ];
    all.extend(labelled());
    all.extend(wrapped());
    all.extend(timed());
    all
}

fn labelled() -> [Case; 5] {
    let with = |tags, validator| Frame {
        tags,
        validator,
        ..frame()
    };
    let tags: &[&str] = &["shelf", "größe", ""];
    [
        ("tags", with(tags, None), PAYLOAD),
        ("validator", with(&[], Some(b"\"v1\"")), PAYLOAD),
        ("empty-validator", with(&[], Some(b"")), PAYLOAD),
        ("all-labels", with(tags, Some(&[0, 255])), PAYLOAD),
        ("absence-with-labels", with(tags, Some(&[0])), None),
    ]
}

fn wrapped() -> [Case; 3] {
    let with = |compressed, encrypted| Frame {
        compressed,
        encrypted,
        ..frame()
    };
    [
        ("compressed", with(true, false), PAYLOAD),
        ("encrypted", with(false, true), PAYLOAD),
        ("both", with(true, true), PAYLOAD),
    ]
}

fn timed() -> [Case; 2] {
    let with = |time| {
        let times = Times {
            ttl: time,
            stale: time,
            age: time,
            cost: time,
        };
        Frame { times, ..frame() }
    };
    [
        ("no-times", with(Duration::ZERO), PAYLOAD),
        ("longest-times", with(Duration::MAX), PAYLOAD),
    ]
}

fn written(frame: &Frame<'_>, payload: Option<&[u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    let written = match payload {
        Some(payload) => frame.write_value(&mut out, |out| {
            out.extend_from_slice(payload);
            Ok(())
        }),
        None => frame.write_absence(&mut out),
    };
    written.unwrap();
    out
}

fn golden(name: &str) -> Vec<u8> {
    let line = V1
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
    hex::bytes(line.unwrap_or_default())
}

#[test]
fn fc81_v1_is_written_as_ever() {
    for (name, frame, payload) in frames() {
        let bytes = written(&frame, payload);
        assert_eq!(hex::text(&bytes), hex::text(&golden(name)), "{name}");
    }
}

#[test]
fn fc81_v1_is_read_as_ever() {
    for (name, frame, payload) in frames() {
        let bytes = golden(name);
        let read = FrameRef::parse(&bytes).unwrap();
        assert_eq!(read.subject(), frame.subject, "{name}");
        assert_eq!(read.times(), frame.times.rounded(), "{name}");
        assert_eq!(read.tags().collect::<Vec<_>>(), frame.tags, "{name}");
        assert_eq!(read.validator(), frame.validator, "{name}");
        assert_eq!(read.is_compressed(), frame.compressed, "{name}");
        assert_eq!(read.is_encrypted(), frame.encrypted, "{name}");
        assert_eq!(read.payload(), payload.unwrap_or_default(), "{name}");
        let kind = if payload.is_some() {
            Kind::Value
        } else {
            Kind::Absence
        };
        assert_eq!(read.kind(), kind, "{name}");
    }
}

#[test]
fn the_file_holds_no_other_frames() {
    let lines = V1.lines().filter(|line| line.contains(" = "));
    assert_eq!(lines.count(), frames().len());
}

#[test]
fn a_frame_costs_36_bytes_and_its_labels() {
    assert_eq!(Frame::<&str>::SIZE, 36);
    assert_eq!(golden("value").len(), 36 + "payload".len());
    assert_eq!(golden("absence").len(), 36);
    let labels = 2 + (2 + 5) + (2 + "größe".len()) + 2;
    assert_eq!(golden("tags").len(), 36 + labels + "payload".len());
}
