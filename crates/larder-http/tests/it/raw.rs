//! Inputs on which other servers hang, close without a word, panic or see two requests in one.
//!
//! What is malformed in some ordinary way stands in `wire` and `body`, what is too much in `limits`.

use std::time::Duration;

use larder_http::Limits;

use crate::support::{Service, Shelf, cart};

const GET: &str = "GET /deals/5 HTTP/1.1\r\nHost: a\r\n\r\n";

/// A request with these lines after its `Host`, and whatever follows them.
fn get(rest: &str) -> String {
    format!("GET /deals/5 HTTP/1.1\r\nHost: a\r\n{rest}")
}

fn put(rest: &str) -> String {
    format!("PUT /deals/5 HTTP/1.1\r\nHost: a\r\n{rest}")
}

#[track_caller]
fn answered(bytes: impl AsRef<[u8]>, statuses: &[u16]) {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    assert_eq!(service.statuses(bytes), statuses);
    assert_eq!(serde_json::to_value(shelf.holds(5)).expect("JSON"), cart());
}

#[test]
fn lengths_that_differ() {
    answered(
        put("Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
        &[400],
    );
    answered(
        put("Content-Length: 30\r\nContent-Length: 4\r\n\r\nabcd"),
        &[400],
    );
}

#[test]
fn lengths_that_are_no_number() {
    for length in [
        "+3",
        "+4",
        "-1",
        "4, 4",
        "3,4",
        "0x3",
        "3 3",
        "",
        "18446744073709551616",
    ] {
        answered(put(&format!("Content-Length: {length}\r\n\r\nabc")), &[400]);
    }
}

#[test]
fn a_length_of_a_gibibyte_is_refused_before_it_comes() {
    let service = Service::over(&Shelf::with_cart());
    for method in ["PUT", "POST", "GET"] {
        let head =
            format!("{method} /deals/5 HTTP/1.1\r\nHost: a\r\nContent-Length: 1073741824\r\n\r\n");
        let mut client = service.client().with(head);
        let answer = client.answer();
        answer.problem(413);
        assert_eq!(answer.header("connection"), "close");
    }
}

#[test]
fn codings_that_nobody_here_undoes() {
    answered(
        put("Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
        &[501],
    );
    answered(
        put("Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
        &[501],
    );
    let twice = "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    answered(put(twice), &[501]);
    answered(put("Transfer-Encoding: gzip\r\n\r\nabc"), &[400]);
    answered(put("Transfer-Encoding: xchunked\r\n\r\nabc"), &[400]);
    answered(put("Transfer-Encoding: chunked, gzip\r\n\r\nabc"), &[400]);
    answered(
        "PUT /deals/5 HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        &[400],
    );
}

#[test]
fn bug_j4_a_length_beside_chunks_counts_for_nothing_and_ends_the_connection() {
    for head in [
        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n",
    ] {
        let shelf = Shelf::with_cart();
        let service = Service::over(&shelf);
        let body = cart().to_string();
        let chunk = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
        let mut client = service.client().with(put(&format!("{head}{chunk}{GET}")));
        assert_eq!(client.answer().json(), cart());
        assert_eq!(client.rest(), "");
        assert_eq!(shelf.reads(), 0);
    }
}

#[test]
fn chunks_of_absurd_sizes() {
    for size in [
        "ffffffffffffffff",
        "fffffffffffffffff",
        "10000000000000000",
        "-1",
        "+1",
        "",
        "0x1",
    ] {
        let chunk = format!("Transfer-Encoding: chunked\r\n\r\n{size}\r\nabc\r\n0\r\n\r\n");
        let service = Service::over(&Shelf::with_cart());
        let statuses = service.statuses(put(&chunk));
        assert!(matches!(statuses[..], [400 | 413]), "{size}: {statuses:?}");
    }
}

#[test]
fn line_ends_of_all_kinds() {
    answered("GET /deals/5 HTTP/1.1\nHost: a\r\n\r\n", &[200]);
    answered("GET /deals/5 HTTP/1.1\nHost: a\n\n", &[200]);
    answered("\r\n\r\nGET /deals/5 HTTP/1.1\r\nHost: a\r\n\r\n", &[200]);
    answered("GET /deals/5 HTTP/1.1\rHost: a\r\r", &[400]);
    answered(get("x: a\rb\r\n\r\n"), &[400]);
    answered(get("x: a\0b\r\n\r\n"), &[400]);
    answered(get("x: a\r\n b\r\n\r\n"), &[400]);
    answered(get("x : a\r\n\r\n"), &[400]);
}

#[test]
fn names_that_are_none() {
    answered(get("\u{e9}: a\r\n\r\n"), &[400]);
    answered(get(": a\r\n\r\n"), &[400]);
    answered(get("x y: a\r\n\r\n"), &[400]);
    answered(get("x\r\n\r\n"), &[400]);
}

#[test]
fn versions_and_methods() {
    answered("GET /deals/5 HTTP/1.0\r\n\r\n", &[200]);
    answered("GET /deals/5 HTTP/1.1\r\n\r\n", &[400]);
    answered("GET /deals/5 HTTP/0.9\r\n\r\n", &[400]);
    answered("GET /deals/5 HTTP/1.2\r\nHost: a\r\n\r\n", &[400]);
    answered("BREW /deals/5 HTTP/1.1\r\nHost: a\r\n\r\n", &[501]);
    answered("G@T /deals/5 HTTP/1.1\r\nHost: a\r\n\r\n", &[400]);
}

#[test]
fn two_hosts_and_hosts_with_a_path() {
    answered(get("Host: a\r\n\r\n"), &[400]);
    answered(get("Host: b\r\n\r\n"), &[400]);
    answered("GET /deals/5 HTTP/1.1\r\nHost: a/deals/7\r\n\r\n", &[400]);
    answered("GET /deals/5 HTTP/1.1\r\nHost: a?x\r\n\r\n", &[400]);
}

#[test]
fn a_connection_that_is_kept_and_closed_is_closed() {
    answered(
        get(&format!("Connection: keep-alive, close\r\n\r\n{GET}")),
        &[200],
    );
    answered(get(&format!("Connection: close\r\n\r\n{GET}")), &[200]);
}

#[test]
fn heads_up_to_the_limit_and_over_it() {
    answered(get(&format!("x: {}\r\n\r\n", "a".repeat(9 * 1024))), &[200]);
    answered(
        get(&format!("x: {}\r\n\r\n", "a".repeat(17 * 1024))),
        &[431],
    );
    answered(get(&format!("{}\r\n", "x: 1\r\n".repeat(99))), &[200]);
    answered(get(&format!("{}\r\n", "x: 1\r\n".repeat(200))), &[431]);
}

#[test]
fn a_target_that_is_too_long() {
    let mut limits = Limits::default();
    limits.max_head = 128 * 1024;
    let service = Service::limited(&Shelf::with_cart(), limits);
    let path = "a".repeat(70_000);
    let mut client = service
        .client()
        .with(format!("GET /{path} HTTP/1.1\r\nHost: a\r\n\r\n"));
    client.answer().problem(414);
}

#[test]
fn what_hyper_refuses_is_a_problem_that_ends_the_connection() {
    let service = Service::over(&Shelf::with_cart());
    let mut client = service.client();
    assert_eq!(client.get("/deals/5").status, 200);
    client.send("hello\r\n\r\n");
    let answer = client.answer();
    answer.problem(400);
    assert_eq!(answer.header("connection"), "close");
    assert_eq!(client.rest(), "");
}

#[test]
fn a_bad_request_behind_good_ones_is_refused_after_their_answers() {
    let service = Service::over(&Shelf::with_cart());
    let mut client = service
        .client()
        .with(format!("{GET}{GET}hello\r\n\r\n{GET}"));
    assert_eq!(client.answer().json(), cart());
    assert_eq!(client.answer().json(), cart());
    client.answer().problem(400);
    assert_eq!(client.rest(), "");
}

#[test]
fn ten_thousand_pipelined_requests_have_ten_thousand_answers() {
    let service = Service::over(&Shelf::with_cart());
    let mut client = service.client();
    let mut sender = client.another();
    let sending = std::thread::spawn(move || {
        for _ in 0..100 {
            sender.send(GET.repeat(100));
        }
    });
    for _ in 0..10_000 {
        assert_eq!(client.answer().status, 200);
    }
    sending.join().expect("sent");
}

#[test]
fn a_head_that_drips_is_408_however_lively() {
    let mut limits = Limits::default();
    limits.tick = Duration::from_millis(10);
    limits.head_timeout = Duration::from_millis(50);
    let service = Service::limited(&Shelf::with_cart(), limits);
    let mut client = service.client().with("GET /deals/5 HTTP/1.1\r\nx: ");
    // Each byte comes a whole request of another connection after the last.
    while client.try_send("a").is_ok() {
        if service.client().get("/livez").status != 200 || client.is_answered() {
            break;
        }
    }
    client.answer().problem(408);
}
