//! The page that describes the frame says what the code does.

use std::time::Duration;

use larder_codec::{Frame, FrameRef, KeyDigest, Postcard, Refusal, Schema, Subject, Times};
use larder_core::Address;

use super::hex;

const PAGE: &str = include_str!("../../../../docs/src/reference/frame.md");

/// The example of the page.
fn example() -> Vec<u8> {
    let subject = Subject {
        key: KeyDigest::new(Address::new("deals", b"7")),
        schema: Schema::from_bits(0x1122_3344_5566_7788),
        codec: Postcard::ID,
    };
    let times = Times {
        ttl: Duration::from_secs(300),
        stale: Duration::from_secs(60),
        age: Duration::from_millis(1_500),
        cost: Duration::from_millis(12),
    };
    let frame = Frame {
        tags: &["shelf"],
        validator: Some(b"\"v1\""),
        ..Frame::new(subject, times)
    };
    let mut out = Vec::new();
    let written = frame.write_value(&mut out, |out| {
        out.extend_from_slice(b"payload");
        Ok(())
    });
    written.unwrap();
    out
}

/// The cells of the table rows below a heading.
fn rows(heading: &str) -> Vec<Vec<&'static str>> {
    let section = PAGE
        .split("\n## ")
        .find(|section| section.starts_with(heading));
    let rows = section
        .unwrap()
        .lines()
        .filter(|line| line.starts_with('|'));
    let cells = |row: &'static str| row.trim_matches('|').split('|').map(str::trim).collect();
    rows.map(cells).collect()
}

#[test]
fn the_example_is_what_the_code_writes() {
    let block = PAGE.split("```hex").nth(1).unwrap();
    let block = hex::bytes(block.split("```").next().unwrap());
    assert_eq!(hex::text(&example()), hex::text(&block));
    assert!(FrameRef::parse(&block).is_ok());
}

#[test]
fn the_table_gives_every_byte_its_place() {
    let example = example();
    let mut at = 0;
    for row in rows("Layout") {
        let (Ok(offset), Ok(size)) = (row[0].parse::<usize>(), row[1].parse::<usize>()) else {
            continue;
        };
        assert_eq!(offset, at, "{row:?}");
        at += size;
        let bytes = hex::text(&example[offset..at]);
        assert_eq!(bytes, row[3].trim_matches('`'), "{row:?}");
    }
    assert_eq!(at, example.len());
}

#[test]
fn the_refusals_are_those_of_the_code() {
    let named: Vec<_> = rows("Refusals")
        .iter()
        .map(|row| row[0].trim_matches('`'))
        .collect();
    let known: Vec<_> = Refusal::ALL.iter().map(|refusal| refusal.name()).collect();
    assert_eq!(named[2..], known);
}

/// The formula of the page, done by hand on the bytes of a frame.
#[test]
fn the_times_are_packed_as_the_page_says() {
    let subject = FrameRef::parse(&example()).unwrap().subject();
    let unpack = |bytes: &[u8], fraction: u32| {
        let code = bytes
            .iter()
            .rev()
            .fold(0_u64, |code, byte| code << 8 | u64::from(*byte));
        let (exponent, rest) = (code >> fraction, code % (1 << fraction));
        let millis = match exponent {
            0 => rest,
            _ => ((1 << fraction) + rest) << (exponent - 1),
        };
        Duration::from_millis(millis)
    };
    for seconds in [0, 1, 90, 3_600, 1_000_003, 3_000_000_000] {
        let time = Duration::from_secs(seconds);
        let times = Times {
            ttl: time,
            stale: time,
            age: time,
            cost: time,
        };
        let mut out = Vec::new();
        Frame::<&str>::new(subject, times)
            .write_absence(&mut out)
            .unwrap();
        let read = Times {
            ttl: unpack(&out[19..22], 19),
            stale: unpack(&out[22..25], 19),
            age: unpack(&out[25..27], 11),
            cost: unpack(&out[27..28], 3),
        };
        assert_eq!(read, times.rounded());
    }
}
