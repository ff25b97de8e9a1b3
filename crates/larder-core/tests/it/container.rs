//! The container: what replaces what, and when it ends.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use bytes::Bytes;
use larder_core::Ttl;
use larder_core::container::{Barrier, Container, Part, Token, TooLarge};
use proptest::prelude::*;

const FIRST: Token = Token::new(*b"first token 1234");
const SECOND: Token = Token::new(*b"other token 5678");

fn part(schema: u64, frame: &'static str) -> Part {
    Part::new(schema, &[], Bytes::from_static(frame.as_bytes())).unwrap()
}

fn ttl(millis: u64) -> Ttl {
    Ttl::new(Duration::from_millis(millis)).unwrap()
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// The schemas in their order, with what each has left where its key has `left`.
fn parts(container: &Container, left: Ttl) -> Vec<(u64, Duration)> {
    let parts = container.parts();
    parts
        .map(|part| (part.schema(), part.left(left.duration())))
        .collect()
}

#[test]
fn a_container_without_parts_is_its_token() {
    let bytes = Container::new(FIRST).to_bytes();
    assert_eq!(&bytes[..], b"first token 1234");
    let read = Container::parse(&bytes).unwrap();
    assert_eq!((read.token(), read.parts().count()), (FIRST, 0));
    assert_eq!(read.broken(), None);
}

#[test]
fn a_part_keeps_its_barriers_and_its_frame() {
    let barriers = [
        Barrier {
            name: 1,
            token: FIRST.head(),
        },
        Barrier {
            name: u64::MAX,
            token: SECOND.head(),
        },
    ];
    let mut container = Container::new(FIRST);
    let part = Part::new(7, &barriers, Bytes::from_static(b"frame")).unwrap();
    container.keep(part, ttl(1_000), Duration::ZERO);
    let read = Container::parse(&container.to_bytes()).unwrap();
    assert_eq!(read, container);
    let part = read.part(7).unwrap();
    assert_eq!(part.barriers().len(), 2);
    assert_eq!(part.barriers().iter().collect::<Vec<_>>(), barriers);
    assert_eq!(&part.frame()[..], b"frame");
    assert_eq!(read.part(8), None);
}

#[test]
fn reading_copies_no_frame() {
    let mut container = Container::new(FIRST);
    container.keep(part(1, "frame"), ttl(1_000), Duration::ZERO);
    let bytes = container.to_bytes();
    let read = Container::parse(&bytes).unwrap();
    let frame = read.part(1).unwrap().frame();
    assert!(bytes.as_ptr_range().contains(&frame.as_ptr()));
}

/// Two versions of a program store beside each other, each with its own end.
#[test]
fn the_part_of_another_schema_stays_and_keeps_its_end() {
    let mut container = Container::new(FIRST);
    let key = container.keep(part(1, "one"), ttl(10_000), Duration::ZERO);
    assert_eq!(key, ttl(10_000));
    let key = container.keep(part(2, "two"), ttl(60_000), millis(9_000));
    assert_eq!(key, ttl(60_000));
    assert_eq!(
        parts(&container, key),
        [(2, millis(60_000)), (1, millis(9_000))]
    );
    let key = container.keep(part(1, "new"), ttl(10_000), millis(50_000));
    assert_eq!(key, ttl(50_000));
    assert_eq!(
        parts(&container, key),
        [(1, millis(10_000)), (2, millis(50_000))]
    );
    assert_eq!(&container.part(1).unwrap().frame()[..], b"new");
}

#[test]
fn of_three_the_oldest_falls() {
    let mut container = Container::new(FIRST);
    let mut key = Duration::ZERO;
    for schema in [1, 2, 3] {
        key = container
            .keep(part(schema, "x"), ttl(1_000), key)
            .duration();
    }
    let schemas: Vec<_> = container.parts().map(Part::schema).collect();
    assert_eq!(schemas, [3, 2]);
}

#[test]
fn a_part_that_has_ended_does_not_stay() {
    let mut container = Container::new(FIRST);
    container.keep(part(1, "one"), ttl(10_000), Duration::ZERO);
    let key = container.keep(part(2, "two"), ttl(60_000), millis(9_000));
    // 51 s later the first has been over for 42 s.
    assert_eq!(container.part(1).unwrap().left(millis(9_000)), millis(0));
    let key = container.keep(
        part(3, "three"),
        ttl(1_000),
        key.duration() - millis(51_000),
    );
    assert_eq!(
        parts(&container, key),
        [(3, millis(1_000)), (2, millis(9_000))]
    );
}

#[test]
fn no_part_ends_later_for_a_fraction_of_a_millisecond() {
    let mut container = Container::new(FIRST);
    let life = Ttl::new(Duration::from_micros(20_900)).unwrap();
    let key = container.keep(part(1, "one"), life, Duration::ZERO);
    assert_eq!(key, ttl(20));
    let key = container.keep(part(2, "two"), ttl(30), Duration::from_micros(15_999));
    assert_eq!(parts(&container, key), [(2, millis(30)), (1, millis(15))]);
}

/// bug D3: a huge life is the longest one, and no sum overflows.
#[test]
fn bug_d3_the_longest_life_fits() {
    let mut container = Container::new(FIRST);
    container.keep(part(1, "one"), ttl(10), Duration::ZERO);
    let key = container.keep(part(2, "two"), Ttl::MAX, millis(10));
    assert_eq!(key, Ttl::MAX);
    let read = Container::parse(&container.to_bytes()).unwrap();
    assert_eq!(
        parts(&read, key),
        [(2, Ttl::MAX.duration()), (1, millis(10))]
    );
    let key = container.keep(part(3, "three"), Ttl::MAX, Duration::MAX);
    assert_eq!(key, Ttl::MAX);
}

#[test]
fn expiring_marks_all_parts_and_takes_another_token() {
    let mut container = Container::new(FIRST);
    container.keep(part(1, "one"), ttl(1_000), Duration::ZERO);
    container.keep(part(2, "two"), ttl(1_000), millis(1_000));
    container.expire(SECOND);
    let read = Container::parse(&container.to_bytes()).unwrap();
    assert_eq!(read.token(), SECOND);
    assert!(read.parts().all(Part::is_expired));
    // A fresh part is not expired for the other's sake.
    container.keep(part(1, "one"), ttl(1_000), millis(1_000));
    let expired: Vec<_> = container.parts().map(Part::is_expired).collect();
    assert_eq!(expired, [false, true]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let barrier = Barrier {
        name: 0,
        token: [0; 8],
    };
    let new = |count| Part::new(1, &vec![barrier; count], Bytes::new());
    assert_eq!(
        new(Part::MOST_BARRIERS).map(|part| part.barriers().len()),
        Ok(255)
    );
    assert_eq!(new(Part::MOST_BARRIERS + 1), Err(TooLarge));
}

fn any_part() -> impl Strategy<Value = Part> {
    let barrier = (any::<u64>(), any::<[u8; 8]>());
    let barriers = prop::collection::vec(
        barrier.prop_map(|(name, token)| Barrier { name, token }),
        0..5,
    );
    let frame = prop::collection::vec(any::<u8>(), 0..50);
    (any::<u64>(), barriers, frame).prop_map(|(schema, barriers, frame)| {
        Part::new(schema, &barriers, Bytes::from(frame)).unwrap()
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        token: [u8; 16],
        steps in prop::collection::vec((any_part(), 10_u64..1_000_000, 0_u64..1_000_000), 0..5),
        expired: bool,
    ) {
        let mut container = Container::new(Token::new(token));
        for (part, life, left) in steps {
            let key = container.keep(part.clone(), ttl(life), millis(left));
            prop_assert!(key >= ttl(life));
            let kept = container.part(part.schema()).unwrap();
            prop_assert_eq!(kept.left(key.duration()), millis(life));
        }
        if expired {
            container.expire(Token::new(token));
        }
        prop_assert_eq!(Container::parse(&container.to_bytes()), Ok(container));
    }
}
