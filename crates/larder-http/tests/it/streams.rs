//! Deals as a stream: soon, once for all who read, and never short without showing it.

use std::time::Duration;

use larder_http::Limits;
use serde_json::Value;

use crate::support::{Client, Service, Shelf, cart};

const GET: &str = "GET /deals/stream HTTP/1.1\r\nHost: a\r\n\r\n";

/// The numbers of the deals in some lines.
fn numbers(lines: &str) -> Vec<u64> {
    let deals = lines.lines().map(|line| {
        let deal: Value = serde_json::from_str(line).expect("a line of JSON");
        deal["deal_no"].as_u64().expect("a number")
    });
    deals.collect()
}

/// The head of a stream's answer.
#[track_caller]
fn begun(client: &mut Client, detail: &str) {
    let head = client.answer_without_body();
    assert_eq!(head.status, 200);
    assert_eq!(head.header("content-type"), "application/x-ndjson");
    assert_eq!(head.header("transfer-encoding"), "chunked");
    let status = head.header("cache-status");
    assert!(status.ends_with(&format!("detail={detail}")), "{status}");
}

/// The next deals of a stream, which may come in several chunks.
#[track_caller]
fn next(client: &mut Client, count: usize) -> Vec<u64> {
    let mut found = Vec::new();
    while found.len() < count {
        let chunk = client.chunk().expect("more").expect("a chunk");
        found.extend(numbers(&chunk));
    }
    found
}

/// All numbers of a stream.
#[track_caller]
fn whole(client: &mut Client, path: &str, detail: &str) -> Vec<u64> {
    client.send(format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n"));
    begun(client, detail);
    numbers(&client.chunks())
}

/// Waits until what was streamed last is kept: what a service on one thread was asked before is done then.
fn kept(service: &Service, shelf: &Shelf, reads: usize) {
    service.settle();
    assert_eq!(shelf.reads(), reads);
}

#[test]
fn m2_a_stream_is_all_deals_a_line_each_and_then_a_hit() {
    let shelf = Shelf::with_cart();
    shelf.fill((1..=4).chain(6..=1_200));
    let service = Service::on_one_thread(&shelf, Limits::default());
    // One connection for all of it.
    let mut client = service.client();
    let all: Vec<u64> = (1..=1_200).collect();
    assert_eq!(whole(&mut client, "/deals/stream", "streamed"), all);
    // A page of 50, two of 500, and one of 150.
    kept(&service, &shelf, 4);
    assert_eq!(whole(&mut client, "/deals/stream", "near"), all);
    let cheap = "/deals/stream?max_price_cents=9";
    assert_eq!(
        whole(&mut client, cheap, "streamed"),
        [1, 2, 3, 4, 6, 7, 8, 9]
    );
    assert_eq!(client.get("/deals/5").json(), cart());
    assert_eq!(shelf.reads(), 6);
}

#[test]
fn m2_the_first_deals_come_while_the_source_still_works_and_others_follow_it() {
    let shelf = Shelf::with_cart();
    shelf.fill(1..=80);
    shelf.pages.close();
    let service = Service::over(&shelf);
    let mut first = service.client().with(GET);
    begun(&mut first, "streamed");
    assert_eq!(next(&mut first, 50), Vec::from_iter(1..=50));
    let mut second = service.client().with(GET);
    begun(&mut second, "joined");
    assert_eq!(next(&mut second, 50), Vec::from_iter(1..=50));
    shelf.pages.open();
    for mut client in [first, second] {
        assert_eq!(numbers(&client.chunks()), Vec::from_iter(51..=80));
    }
    assert_eq!(shelf.reads(), 2);
}

#[test]
fn m2_an_error_in_the_middle_cuts_the_answer_and_nothing_is_kept() {
    let shelf = Shelf::with_cart();
    shelf.fill(1..=80);
    shelf.pages.close();
    let service = Service::over(&shelf);
    let mut clients = [service.client().with(GET), service.client().with(GET)];
    for client in &mut clients {
        client.answer_without_body();
        assert_eq!(next(client, 50).len(), 50);
    }
    shelf.fail(true);
    shelf.pages.open();
    for client in &mut clients {
        // Not `None`: the last chunk, by which a reader knows the whole, never comes.
        assert!(matches!(client.chunk(), Some(Err(_))));
    }
    shelf.fail(false);
    let mut client = service.client();
    let all = Vec::from_iter(1..=80);
    assert_eq!(whole(&mut client, "/deals/stream", "streamed"), all);
}

#[test]
fn a_source_that_fails_before_the_first_deal_is_one_problem() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    shelf.fail(true);
    let mut client = service.client();
    let failed = client.get("/deals/stream");
    failed.problem(503);
    assert_eq!(
        failed.header("cache-status"),
        "larder; fwd=uri-miss; detail=failed"
    );
    shelf.fail(false);
    assert_eq!(whole(&mut client, "/deals/stream", "streamed"), [5]);
}

#[test]
fn a_filter_that_nothing_passes_is_an_empty_answer() {
    let service = Service::over(&Shelf::with_cart());
    let answer = service.client().get("/deals/stream?region=North");
    assert_eq!((answer.status, answer.body.as_str()), (200, ""));
    assert_eq!(answer.header("content-length"), "0");
}

#[test]
fn a_client_that_leaves_in_the_middle_stops_nobody() {
    let shelf = Shelf::with_cart();
    shelf.fill(1..=80);
    shelf.pages.close();
    let service = Service::on_one_thread(&shelf, Limits::default());
    let mut leaving = service.client().with(GET);
    begun(&mut leaving, "streamed");
    assert!(leaving.chunk().is_some());
    drop(leaving);
    assert_eq!(service.client().get("/deals/5").status, 200);
    shelf.pages.open();
    // The list's two pages, and the deal.
    kept(&service, &shelf, 3);
    let all = Vec::from_iter(1..=80);
    assert_eq!(whole(&mut service.client(), "/deals/stream", "near"), all);
}

#[test]
fn a_client_that_reads_nothing_holds_nobody_up_and_is_cut() {
    let shelf = Shelf::with_cart();
    shelf.fill(1..=3_000);
    // Some 25 MB, more than the sockets of the loopback hold.
    shelf.swell(8 * 1024);
    let mut limits = Limits::default();
    limits.connections = 2;
    limits.tick = Duration::from_millis(10);
    limits.write_timeout = Duration::from_millis(500);
    let service = Service::limited(&shelf, limits);
    let mut stuck = service.client().with(GET);
    begun(&mut stuck, "streamed");
    let mut quick = service.client().with(GET);
    quick.answer_without_body();
    assert_eq!(numbers(&quick.chunks()), Vec::from_iter(1..=3_000));
    // There is room for another when the stuck one has gone.
    assert_eq!(quick.get("/livez").status, 200);
    assert_eq!(service.client().get("/livez").status, 200);
    // What its socket had taken ends in the middle.
    let cut = std::iter::from_fn(|| stuck.chunk()).find(Result::is_err);
    assert!(cut.is_some(), "it was given the whole");
}

#[test]
fn what_is_streamed_before_a_change_is_not_served_after_it() {
    let shelf = Shelf::with_cart();
    shelf.fill(1..=80);
    shelf.pages.close();
    let service = Service::over(&shelf);
    let mut early = service.client().with(GET);
    begun(&mut early, "streamed");
    assert_eq!(service.client().delete("/deals/7").status, 204);
    let mut late = service.client().with(GET);
    begun(&mut late, "streamed");
    shelf.pages.open();
    assert_eq!(numbers(&early.chunks()), Vec::from_iter(1..=80));
    assert_eq!(numbers(&late.chunks()).len(), 79);
    let mut client = service.client();
    client.send(GET);
    client.answer_without_body();
    assert_eq!(numbers(&client.chunks()).len(), 79);
}

#[test]
fn bug_j8_spellings_of_one_text_share_one_stream() {
    let shelf = Shelf::with_cart();
    let service = Service::on_one_thread(&shelf, Limits::default());
    let mut client = service.client();
    let filter = |text: &str| format!("/deals/stream?region={text}");
    assert_eq!(whole(&mut client, &filter("South"), "streamed"), [5]);
    kept(&service, &shelf, 1);
    for text in ["%53outh", "S%6Futh", "Sout%68"] {
        assert_eq!(whole(&mut client, &filter(text), "near"), [5]);
    }
    for text in ["%FF", "%zz", "+"] {
        let problem = client.get(&filter(text)).problem(400);
        assert_eq!(problem["parameter"], "region", "{text}");
    }
    for name in ["after", "limit", "colour"] {
        let problem = client.get(&format!("/deals/stream?{name}=1")).problem(400);
        assert_eq!(problem["parameter"], name);
    }
    assert_eq!(shelf.reads(), 1);
}

#[test]
fn http_1_0_cannot_tell_a_part_from_the_whole_and_gets_neither() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    client.send("GET /deals/stream HTTP/1.0\r\n\r\n");
    let answer = client.answer();
    answer.problem(426);
    assert_eq!(answer.header("upgrade"), "HTTP/1.1");
    assert_eq!(shelf.reads(), 0);
}

#[test]
fn bug_j10_head_of_a_stream_leaves_the_connection_usable() {
    let mut limits = Limits::default();
    limits.tick = Duration::from_millis(5);
    limits.write_timeout = Duration::ZERO;
    let service = Service::limited(&Shelf::with_cart(), limits);
    let mut client = service.client();
    client.send("HEAD /deals/stream HTTP/1.1\r\nHost: a\r\n\r\n");
    let head = client.answer_without_body();
    assert_eq!((head.status, head.header("content-length")), (200, ""));
    assert_eq!(client.get("/livez").status, 200);
    for method in ["PUT", "DELETE", "POST", "PATCH"] {
        client.send(format!(
            "{method} /deals/stream HTTP/1.1\r\nHost: a\r\n\r\n"
        ));
        let answer = client.answer();
        answer.problem(405);
        assert_eq!(answer.header("allow"), "GET, HEAD");
    }
}
