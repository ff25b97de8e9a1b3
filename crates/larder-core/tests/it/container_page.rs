//! The page that describes the container says what the code does.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use bytes::Bytes;
use larder_core::Ttl;
use larder_core::container::{Barrier, Container, Part, Token};

const PAGE: &str = include_str!("../../../../docs/src/reference/container.md");

/// The example of the page: the first part ends 9 s before the key, and the key with the second.
fn example() -> Bytes {
    let token = |from: u8| Token::new(std::array::from_fn(|at| from + at as u8));
    let barrier = Barrier {
        name: 0x0102_0304_0506_0708,
        token: token(0x70).head(),
    };
    let first = Part::new(
        0x1122_3344_5566_7788,
        &[barrier],
        Bytes::from_static(b"frame"),
    );
    let second = Part::new(2, &[], Bytes::from_static(b"old"));
    let ttl = |millis| Ttl::new(Duration::from_millis(millis)).unwrap();
    let mut container = Container::new(token(0));
    let key = container.keep(second.unwrap(), ttl(20_000), Duration::ZERO);
    container.keep(first.unwrap(), ttl(11_000), key.duration());
    container.expire(token(0x60));
    container.to_bytes()
}

/// The bytes of a text like `0a ff`.
fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace()
        .map(|byte| u8::from_str_radix(byte, 16).unwrap())
        .collect()
}

/// Offset, size and example of the rows that have all three.
fn rows() -> Vec<(usize, usize, Vec<u8>)> {
    let rows = PAGE.lines().filter_map(|line| {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        let (offset, size) = (cells.get(1)?.parse().ok()?, cells.get(2)?.parse().ok()?);
        Some((offset, size, hex(cells[4].trim_matches('`'))))
    });
    rows.collect()
}

#[test]
fn the_example_is_what_the_code_writes() {
    let block = PAGE.split("```hex").nth(1).unwrap();
    let block = hex(block.split("```").next().unwrap());
    assert_eq!(&example()[..], block);
}

#[test]
fn the_example_reads_as_described() {
    let container = Container::parse(&example()).unwrap();
    let parts: Vec<_> = container.parts().collect();
    assert_eq!(parts[0].schema(), 0x1122_3344_5566_7788);
    assert_eq!(parts[0].earlier(), Duration::from_secs(9));
    assert_eq!((parts[1].schema(), parts[1].earlier()), (2, Duration::ZERO));
    assert_eq!(container.broken(), None);
}

#[test]
fn the_table_gives_every_byte_its_place() {
    let rows = rows();
    assert_eq!(
        rows.len(),
        9,
        "token, five of the head, two of a barrier, frame"
    );
    let token = &rows[0];
    assert_eq!((token.0, token.1), (0, 16));
    let mut at = 0;
    for (offset, size, example) in &rows[1..] {
        assert_eq!((*offset, *size), (at, example.len()));
        at += size;
    }
    let bytes: Vec<u8> = rows.iter().flat_map(|row| row.2.clone()).collect();
    assert_eq!(bytes, example()[..bytes.len()]);
}
