//! What one client may take.

use std::time::Duration;

use larder_http::Limits;

use crate::support::{Client, Service, Shelf, cart};

/// Every time as short as a test may wait for it; `change` makes the others long.
fn short(change: impl FnOnce(&mut Limits)) -> Limits {
    let long = Duration::from_secs(3600);
    let mut limits = Limits::default();
    limits.tick = Duration::from_millis(10);
    for time in [
        &mut limits.head_timeout,
        &mut limits.body_timeout,
        &mut limits.work_timeout,
        &mut limits.write_timeout,
        &mut limits.idle_timeout,
    ] {
        *time = long;
    }
    change(&mut limits);
    limits
}

const SOON: Duration = Duration::from_millis(30);

/// Longer than a request takes that has nothing to wait for, also on a busy machine.
const LATER: Duration = Duration::from_millis(500);

#[test]
fn a_body_over_the_limit_is_413() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut deal = cart().to_string();
    deal.insert_str(1, &" ".repeat(64 * 1024 - deal.len()));
    assert_eq!(
        service.client().put("/deals/5", &deal).status,
        200,
        "the limit itself passes"
    );
    deal.insert(1, ' ');
    for body in [deal.clone(), " ".repeat(100_000), " ".repeat(300_000)] {
        let mut client = service.client();
        let answer = client.put("/deals/5", &body);
        answer.problem(413);
        assert_eq!(answer.header("connection"), "close");
        client.end();
        assert_eq!(client.rest(), "");
    }
}

#[test]
fn chunks_over_the_limit_are_413() {
    let service = Service::over(&Shelf::with_cart());
    let mut client = service.client();
    client.send("PUT /deals/5 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    let chunk = format!("1000\r\n{}\r\n", " ".repeat(0x1000));
    for _ in 0..17 {
        client.send(&chunk);
    }
    client.answer().problem(413);
}

#[test]
fn bug_j6_an_endless_head_is_431_and_cut() {
    let service = Service::over(&Shelf::with_cart());
    for head in [
        "",
        "GET /",
        "GET / HTTP/1.1\r\nx: ",
        "GET / HTTP/1.1\r\nHost: a\r\n",
    ] {
        let mut client = service.client();
        client.send(head);
        let more = "a".repeat(64 * 1024);
        let mut sent = 0;
        // The kernel's buffers take some megabytes that nobody reads.
        while sent < 256 * 1024 * 1024 && client.try_send(&more).is_ok() {
            sent += more.len();
        }
        assert!(sent < 64 * 1024 * 1024, "{sent} bytes were taken");
        assert_eq!(service.client().get("/livez").status, 200);
    }
    let mut client = service
        .client()
        .with(format!("GET / HTTP/1.1\r\nx: {}", "a".repeat(20_000)));
    client.answer().problem(431);
    assert_eq!(client.rest(), "");
    let many = "x: 1\r\n".repeat(200);
    let mut client = service
        .client()
        .with(format!("GET / HTTP/1.1\r\nHost: a\r\n{many}\r\n"));
    client.answer().problem(431);
    assert_eq!(client.rest(), "");
}

#[test]
fn a_head_that_does_not_end_is_408() {
    let service = Service::limited(
        &Shelf::with_cart(),
        short(|limits| limits.head_timeout = SOON),
    );
    let mut client = service.client().with("GET /deals/5 HTTP/1.1\r\nHos");
    client.answer().problem(408);
    assert_eq!(client.rest(), "");
}

#[test]
fn a_second_head_that_does_not_end_is_408_after_the_first_answer() {
    let service = Service::limited(
        &Shelf::with_cart(),
        short(|limits| limits.head_timeout = SOON),
    );
    let mut client = service.client();
    assert_eq!(client.get("/deals/5").status, 200);
    client.send("GET /deals/5 HTTP/1.1\r\nHos");
    client.answer().problem(408);
}

#[test]
fn a_body_that_does_not_end_is_408() {
    let service = Service::limited(
        &Shelf::with_cart(),
        short(|limits| limits.body_timeout = SOON),
    );
    for body in [
        "Content-Length: 3\r\n\r\n{",
        "Transfer-Encoding: chunked\r\n\r\n3\r\n{",
    ] {
        let mut client = service
            .client()
            .with(format!("PUT /deals/5 HTTP/1.1\r\nHost: a\r\n{body}"));
        client.answer().problem(408);
        assert_eq!(client.rest(), "");
    }
}

#[test]
fn a_handler_that_does_not_end_is_503() {
    let shelf = Shelf::with_cart();
    shelf.gate.close();
    let service = Service::limited(&shelf, short(|limits| limits.work_timeout = SOON));
    let mut client = service
        .client()
        .with("GET /deals/5 HTTP/1.1\r\nHost: a\r\n\r\n");
    client.answer().problem(503);
    assert_eq!(client.rest(), "");
}

#[test]
fn a_change_that_took_too_long_still_reaches_the_cache() {
    let shelf = Shelf::with_cart();
    let service = Service::limited(&shelf, short(|limits| limits.work_timeout = LATER));
    let mut reader = service.client();
    assert_eq!(reader.get("/deals/5").json(), cart());
    let mut changed = cart();
    changed["stock"] = serde_json::json!(1);
    shelf.gate.close();
    service
        .client()
        .put("/deals/5", &changed.to_string())
        .problem(503);
    assert_eq!(reader.get("/deals/5").json(), cart(), "not yet");
    shelf.gate.open();
    // The change goes on by itself; nothing tells the client of it but the deal.
    let seen = (0..10_000).any(|_| reader.get("/deals/5").json() == changed);
    assert!(seen);
}

#[test]
fn an_idle_connection_is_closed_without_a_word() {
    let service = Service::limited(
        &Shelf::with_cart(),
        short(|limits| limits.idle_timeout = LATER),
    );
    assert_eq!(service.client().rest(), "");
    let mut client = service.client();
    assert_eq!(client.get("/deals/5").status, 200);
    assert_eq!(client.rest(), "");
}

#[test]
fn connections_over_the_limit_wait_for_a_place() {
    let mut limits = Limits::default();
    limits.connections = 2;
    let service = Service::limited(&Shelf::with_cart(), limits);
    let mut first = service.client();
    let mut second = service.client();
    assert_eq!(first.get("/livez").status, 200);
    assert_eq!(second.get("/livez").status, 200);
    let mut third = service
        .client()
        .with("GET /deals/5 HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(first.get("/livez").status, 200);
    drop(second);
    assert_eq!(third.answer().json(), cart());
    assert_eq!(first.get("/livez").status, 200);
}

#[test]
fn a_client_that_reads_nothing_is_cut() {
    let service = Service::limited(
        &Shelf::with_cart(),
        short(|limits| limits.write_timeout = SOON),
    );
    let mut client: Client = service.client();
    // Pipelined without reading: once the buffers are full, the server's writes stop.
    let many = "GET /deals/5 HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1000);
    while client.try_send(&many).is_ok() {}
    assert_eq!(service.client().get("/deals/5").json(), cart());
}
