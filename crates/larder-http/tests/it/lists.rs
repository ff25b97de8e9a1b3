//! Lists of deals: filtered, page by page, and never older than the last change.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Client, Service, Shelf, cart};

const NONE: [u64; 0] = [];

/// The numbers on a page, and the path of the next.
#[track_caller]
fn page(client: &mut Client, path: &str) -> (Vec<u64>, Option<String>) {
    let answer = client.get(path);
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    let page = answer.json();
    let deals = page["deals"].as_array().expect("deals");
    let numbers = deals.iter().map(|deal| &deal["deal_no"]);
    (
        numbers.map(|no| no.as_u64().expect("a number")).collect(),
        page["next"].as_str().map(str::to_owned),
    )
}

fn numbers(client: &mut Client, path: &str) -> Vec<u64> {
    page(client, path).0
}

#[test]
fn a_list_shows_whole_deals_and_is_then_a_hit() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    let first = client.get("/deals");
    assert_eq!(first.json(), json!({ "deals": [cart()], "next": null }));
    assert_eq!(first.header("content-type"), "application/json");
    assert_eq!(
        first.header("cache-status"),
        "larder; fwd=uri-miss; stored; detail=loaded"
    );
    let second = client.get("/deals");
    assert_eq!(second.body, first.body);
    let hit = second.header("cache-status");
    assert!(
        hit.starts_with("larder; hit; ttl=") && hit.ends_with("; detail=near"),
        "{hit}"
    );
    assert_eq!(shelf.reads(), 1);
}

#[test]
fn every_filter_filters() {
    let shelf = Shelf::with_cart();
    shelf.fill(1..=4);
    let service = Service::over(&shelf);
    let mut client = service.client();
    for (query, expected) in [
        ("", &[1, 2, 3, 4, 5][..]),
        ("category=Office+Supplies", &[1, 2, 3, 4, 5]),
        ("category=Office%20Supplies&region=West", &[2, 4]),
        ("category=office+supplies", &[]),
        ("sub_category=Storage&max_price_cents=2", &[1, 2]),
        ("sub_category=Stor", &[]),
        ("region=South", &[1, 3, 5]),
        ("min_price_cents=3", &[3, 4, 5]),
        ("min_price_cents=2&max_price_cents=3", &[2, 3]),
        ("min_price_cents=4&max_price_cents=4&region=South", &[]),
        ("max_price_cents=9007199254740991", &[1, 2, 3, 4, 5]),
        ("after=4", &[5]),
        ("after=5", &[]),
        ("after=18446744073709551615", &[]),
    ] {
        assert_eq!(
            numbers(&mut client, &format!("/deals?{query}")),
            expected,
            "{query}"
        );
    }
}

#[test]
fn pages_follow_each_other_to_the_end() {
    let shelf = Shelf::with_cart();
    shelf.fill((10..=20).chain([u64::MAX]));
    let service = Service::over(&shelf);
    let mut client = service.client();
    let mut next = Some("/deals?limit=3&region=West&max_price_cents=19".to_owned());
    let mut pages = Vec::new();
    while let Some(path) = next {
        let (numbers, after) = page(&mut client, &path);
        pages.push(numbers);
        next = after;
    }
    assert_eq!(pages, [vec![10, 12, 14], vec![16, 18]]);
    let (last, next) = page(&mut client, "/deals?after=20&limit=1");
    assert_eq!(
        (last, next),
        (vec![u64::MAX], None),
        "a full page can be the last"
    );
}

#[test]
fn a_page_has_fifty_deals_unless_asked_and_never_more_than_five_hundred() {
    let shelf = Shelf::with_cart();
    shelf.fill(1..=600);
    let service = Service::over(&shelf);
    let mut client = service.client();
    assert_eq!(numbers(&mut client, "/deals").len(), 50);
    let (most, next) = page(&mut client, "/deals?limit=500");
    assert_eq!(most.len(), 500);
    assert_eq!(next.as_deref(), Some("/deals?limit=500&after=500"));
}

#[test]
fn spellings_of_one_query_share_one_entry() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    for query in [
        "category=Office+Supplies&region=South",
        "region=South&category=Office%20Supplies",
        "&&region=%53outh&c%61tegory=Office+Supplies&limit=50&",
        "limit=050&region=South&category=Office+Supplies",
    ] {
        assert_eq!(
            numbers(&mut client, &format!("/deals?{query}")),
            [5],
            "{query}"
        );
    }
    assert_eq!(shelf.reads(), 1);
    // Filters that look alike when they are joined are not the same.
    assert_eq!(numbers(&mut client, "/deals?category=South"), NONE);
    assert_eq!(numbers(&mut client, "/deals?sub_category=South"), NONE);
    assert_eq!(shelf.reads(), 3);
}

#[test]
fn a_wrong_parameter_is_400_and_named() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    for (query, parameter) in [
        ("limit=0", "limit"),
        ("limit=501", "limit"),
        ("limit=", "limit"),
        ("limit", "limit"),
        ("limit=-1", "limit"),
        ("limit=+1", "limit"),
        ("limit=%2B1", "limit"),
        ("limit=1&limit=1", "limit"),
        ("after=x", "after"),
        ("after=18446744073709551616", "after"),
        ("min_price_cents=1.5", "min_price_cents"),
        ("min_price_cents=9007199254740992", "min_price_cents"),
        ("min_price_cents=2&max_price_cents=1", "max_price_cents"),
        ("category=", "category"),
        ("category=+%20", "category"),
        ("sub_category=%FF", "sub_category"),
        ("region=%zz", "region"),
        ("region=South&r%65gion=West", "region"),
        ("colour=red", "colour"),
        ("Region=South", "Region"),
        ("=South", ""),
        ("no=5", "no"),
        ("%FF=1", "\u{fffd}"),
    ] {
        let problem = client.get(&format!("/deals?{query}")).problem(400);
        assert_eq!(problem["parameter"], parameter, "{query}");
    }
    assert_eq!(shelf.reads(), 0);
}

#[test]
fn bug_j10_head_of_a_list_has_its_length_and_no_body() {
    let service = Service::over(&Shelf::with_cart());
    let mut client = service.client();
    client.send("HEAD /deals HTTP/1.1\r\nHost: larder\r\n\r\n");
    let head = client.answer_without_body();
    let get = client.get("/deals");
    assert_eq!(head.header("content-length"), get.body.len().to_string());
    client.send("POST /deals HTTP/1.1\r\nHost: larder\r\n\r\n");
    let answer = client.answer();
    answer.problem(405);
    assert_eq!(answer.header("allow"), "GET, HEAD");
}

#[test]
fn every_change_is_in_the_next_list() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    let (south, west) = ("/deals?region=South", "/deals?region=West");
    assert_eq!(numbers(&mut client, south), [5]);
    assert_eq!(numbers(&mut client, west), NONE);
    let mut moved = cart();
    moved["region"] = json!("West");
    assert_eq!(client.put("/deals/5", &moved.to_string()).status, 200);
    assert_eq!(numbers(&mut client, south), NONE);
    assert_eq!(numbers(&mut client, west), [5]);
    moved["deal_no"] = json!(6);
    assert_eq!(client.put("/deals/6", &moved.to_string()).status, 201);
    assert_eq!(numbers(&mut client, west), [5, 6]);
    assert_eq!(client.delete("/deals/5").status, 204);
    assert_eq!(numbers(&mut client, west), [6]);
}

#[test]
fn a_change_whose_answer_is_lost_hides_nothing() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    let mut moved = cart();
    moved["region"] = json!("West");
    assert_eq!(client.get("/deals/5").json(), cart());
    assert_eq!(numbers(&mut client, "/deals?region=West"), NONE);
    shelf.lose_answers();
    client.put("/deals/5", &moved.to_string()).problem(503);
    assert_eq!(client.get("/deals/5").json(), moved);
    assert_eq!(numbers(&mut client, "/deals?region=West"), [5]);
    client.delete("/deals/5").problem(503);
    client.get("/deals/5").problem(404);
    assert_eq!(numbers(&mut client, "/deals?region=West"), NONE);
}

#[test]
fn a_list_that_was_read_before_a_change_is_not_served_after_it() {
    let shelf = Shelf::with_cart();
    shelf.gate.close();
    let service = Service::over(&shelf);
    let mut early = service
        .client()
        .with("GET /deals HTTP/1.1\r\nHost: a\r\n\r\n");
    smol::block_on(shelf.gate.arrived(1));
    assert_eq!(service.client().delete("/deals/5").status, 204);
    let mut late = service
        .client()
        .with("GET /deals HTTP/1.1\r\nHost: a\r\n\r\n");
    smol::block_on(shelf.gate.arrived(2));
    shelf.gate.open();
    let deals = |answer: Value| answer["deals"].as_array().expect("deals").len();
    assert_eq!(deals(early.answer().json()), 1);
    assert_eq!(deals(late.answer().json()), 0);
    assert_eq!(numbers(&mut service.client(), "/deals"), NONE);
    assert_eq!(shelf.reads(), 2, "the later one was kept");
}

#[test]
fn changes_by_others_are_seen_before_their_time() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    shelf.fail(true);
    service.follow();
    shelf.fail(false);
    assert_eq!(client.get("/deals/5").status, 200);
    assert_eq!(numbers(&mut client, "/deals"), [5]);
    shelf.rob(5);
    // Nothing tells the client of it but the deals themselves, which would be kept for half a minute.
    let clock = larder::Clock::monotonic();
    let late = clock.now().after(Duration::from_secs(20));
    while client.get("/deals/5").status == 200 || numbers(&mut client, "/deals") == [5] {
        assert!(clock.now() < late);
    }
}

#[test]
fn bug_j15_a_list_that_failed_is_not_kept() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    shelf.fail(true);
    client.get("/deals").problem(503);
    shelf.fail(false);
    assert_eq!(numbers(&mut client, "/deals"), [5]);
}
