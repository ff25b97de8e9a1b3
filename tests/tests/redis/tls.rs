//! Connections over TLS, with certificates made here.

use larder_redis::{ConnectErrorKind, Connection, Reply, Settings};
use larder_servers::{Encrypted, until};
use smol::block_on;

use crate::connects::{ask, open, runtime};

fn refused(url: &str) -> ConnectErrorKind {
    let settings = Settings::parse(url).unwrap();
    let error = block_on(Connection::connect(settings, runtime())).unwrap_err();
    error.kind()
}

#[test]
fn requests_and_answers_go_over_tls_and_a_break_is_healed() {
    let Some(place) = Encrypted::start() else {
        return;
    };
    let wire = open(&place.url("localhost"));
    let set = || ask(&wire, &["SET", "key", "five"]);
    assert_eq!(until("a connection", set), Reply::ok());
    assert_eq!(ask(&wire, &["GET", "key"]), Some(Reply::bytes("five")));
    place
        .server()
        .ask(&["CLIENT", "KILL", "TYPE", "normal"])
        .unwrap();
    let get = || ask(&wire, &["GET", "key"]);
    assert_eq!(until("another connection", get), Reply::bytes("five"));
}

#[test]
fn large_values_pass_through_tls_whole() {
    let Some(place) = Encrypted::start() else {
        return;
    };
    let settings = Settings::parse(&place.url("localhost")).unwrap();
    let wire = block_on(Connection::connect(settings, runtime())).unwrap();
    let script = "return string.rep('x', 1000000)";
    let Some(Reply::Bytes(bytes)) = ask(&wire, &["EVAL", script, "0"]) else {
        panic!("it gives bytes");
    };
    assert_eq!(bytes.len(), 1_000_000);
}

#[test]
fn a_server_that_cannot_be_trusted_is_no_server() {
    let Some(place) = Encrypted::start() else {
        return;
    };
    let known = place.url("localhost");
    let (unknown, _) = known.split_once('?').unwrap();
    let cases = [
        ("another name", place.url("127.0.0.1")),
        (
            "an authority that the system does not know",
            unknown.to_owned(),
        ),
        (
            "an authority that is not there",
            format!("{unknown}?ca=/nowhere"),
        ),
    ];
    for (case, url) in cases {
        assert_eq!(refused(&url), ConnectErrorKind::Tls, "{case}");
    }
}

#[test]
fn neither_side_is_spoken_to_in_the_others_way() {
    let Some(place) = Encrypted::start() else {
        return;
    };
    let (tls, plain) = (place.port().to_string(), place.server().port().to_string());
    // It waits for the end of a line.
    let without = place.url("localhost").replace(&tls, &plain);
    assert_eq!(refused(&without), ConnectErrorKind::Silent);
    let kind = refused(&place.server().url().replace(&plain, &tls));
    assert!(
        matches!(kind, ConnectErrorKind::Garbage | ConnectErrorKind::Lost),
        "{kind:?}"
    );
}
