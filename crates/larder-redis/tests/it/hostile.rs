//! Answers that no server should give.

use std::sync::atomic::Ordering;

use futures_lite::future::block_on;
use larder_core::container::{Container, Token};
use larder_core::far::{Bus, Guarded, Missing, Want};
use larder_core::{Address, Store};
use larder_redis::{Reply, Request};

use crate::told::{Told, empty, name};
use crate::{deals, over};

/// Answers that fit no request, or not the one that they answer.
fn odd() -> Vec<Reply> {
    let nested = (0..50).fold(Reply::Nil, |inner, _| Reply::Array(vec![inner]));
    vec![
        Reply::Nil,
        Reply::Int(-7),
        Reply::bytes("bytes"),
        Reply::Status("QUEUED".to_owned()),
        Reply::Array(Vec::new()),
        Reply::Array(vec![Reply::Int(1), Reply::Int(2), Reply::Int(3)]),
        Reply::Array(vec![Reply::bytes("x"); 100]),
        nested,
        Reply::error("ERR", "unknown command 'secret'"),
        Reply::error("", ""),
    ]
}

#[test]
fn bug_g13_answers_of_a_wrong_kind_are_errors_or_nothing_and_never_a_value() {
    for victim in ["PTTL", "MGET", "SET", "number", "GET", "UNLINK"] {
        for odd in odd() {
            let wire = Told::new(move |request: &Request| match name(request) {
                name if name == victim => odd.clone(),
                _ => empty(request),
            });
            let redis = over(&wire);
            let deals = &deals();
            let read = block_on(redis.read(deals, &[b"5"], &["tag"], Want::Load));
            assert!(
                read.is_err() || read.unwrap()[0].found.is_none(),
                "{victim}"
            );
            let plain = block_on(redis.get(Address::new("plain", b"5")));
            assert!(
                !matches!(plain, Ok(larder_core::Fetched::Found(_))),
                "{victim}"
            );
            let _ = block_on(redis.remove(Address::new("plain", b"5")));
            let _ = block_on(redis.number(deals));
            let counted = redis.counts().out_of_step;
            assert_eq!(
                wire.distrusted.load(Ordering::Relaxed) as u64,
                counted,
                "{victim}"
            );
        }
    }
}

#[test]
fn bug_g1_answers_that_are_shifted_by_one_give_no_value() {
    let part = larder_core::container::Part::new(7, &[], "frame".into()).unwrap();
    let mut other = Container::new(Token::new([9; 16]));
    let _life = other.keep(part, larder_core::Ttl::MAX, std::time::Duration::ZERO);
    let other = other.to_bytes();
    let wire = Told::new(move |request: &Request| match name(request) {
        "PTTL" => Reply::Bytes(other.clone()),
        "MGET" => Reply::Int(1000),
        _ => empty(request),
    });
    let redis = over(&wire);
    for _ in 0..3 {
        assert!(block_on(redis.read(&deals(), &[b"5"], &[], Want::Look)).is_err());
    }
    assert_eq!(redis.counts().out_of_step, 3);
    assert_eq!(wire.distrusted.load(Ordering::Relaxed), 3);
}

#[test]
fn a_part_that_lists_no_barrier_is_dead() {
    let part = larder_core::container::Part::new(7, &[], "frame".into()).unwrap();
    let mut bare = Container::new(Token::new([9; 16]));
    let _life = bare.keep(part, larder_core::Ttl::MAX, std::time::Duration::ZERO);
    let bare = bare.to_bytes();
    let wire = Told::new(move |request: &Request| match name(request) {
        "PTTL" => Reply::Int(1000),
        "MGET" => Reply::Array(vec![Reply::Bytes(bare.clone()), Reply::Nil, Reply::Nil]),
        _ => empty(request),
    });
    let read = block_on(over(&wire).read(&deals(), &[b"5"], &[], Want::Look)).unwrap();
    assert!(read[0].found.is_none());
    assert_eq!(read[0].missing, Missing::Cleared);
}

#[test]
fn a_token_that_is_refused_costs_the_ticket_and_nothing_else() {
    for code in ["OOM", "READONLY", "NOPERM", "MISCONF"] {
        let wire = Told::new(move |request: &Request| match name(request) {
            "SET" => Reply::error(code, "refused"),
            _ => empty(request),
        });
        let redis = over(&wire);
        let reads = block_on(redis.read(&deals(), &[b"5", b"6"], &[], Want::Load)).unwrap();
        assert!(
            reads.iter().all(|read| read.ticket.is_none() && !read.held),
            "{code}"
        );
        assert_eq!(redis.counts().without_ticket, 2, "{code}");
    }
}

#[test]
fn a_read_that_is_refused_fails_and_shows_no_argument() {
    for code in ["LOADING", "NOPERM", "MASTERDOWN", "ERR"] {
        let wire = Told::new(move |_: &Request| Reply::error(code, "no 'secret' for you"));
        let read = block_on(over(&wire).read(&deals(), &[b"5"], &[], Want::Look));
        let error = read.unwrap_err().to_string();
        assert!(error.contains(code) && !error.contains("secret"), "{error}");
    }
}
