//! Changes, and what the cache holds after them.

use serde_json::{Value, json};

use crate::support::{Client, Service, Shelf, cart};

/// Checks that a deal is a hit, and which one.
#[track_caller]
fn near(client: &mut Client, no: u64, deal: &Value) {
    let answer = client.get(&format!("/deals/{no}"));
    assert_eq!(answer.json(), *deal);
    let status = answer.header("cache-status");
    assert!(
        status.starts_with("larder; hit; ttl=") && status.ends_with("; detail=near"),
        "{status}"
    );
}

fn request(deal: &Value) -> String {
    let body = deal.to_string();
    let length = body.len();
    format!("PUT /deals/5 HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n{body}")
}

#[test]
fn a_put_is_seen_by_the_next_get() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    client.get("/deals/5");

    let mut deal = cart();
    deal["title"] = json!("A \"quoted\", comma-ed\u{a0}title");
    let put = client.put("/deals/5", &deal.to_string());
    assert_eq!((put.status, put.json()), (200, deal.clone()));
    near(&mut client, 5, &deal);
    assert_eq!(shelf.reads(), 1, "the put stored it");
}

#[test]
fn a_put_of_a_new_deal_is_201_and_ends_its_absence() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    assert_eq!(client.get("/deals/6").status, 404);

    let mut deal = cart();
    deal["deal_no"] = json!(6);
    let put = client.put("/deals/6", &deal.to_string());
    assert_eq!((put.status, put.json()), (201, deal.clone()));
    near(&mut client, 6, &deal);
    assert_eq!(client.put("/deals/6", &deal.to_string()).status, 200);
    assert_eq!(shelf.reads(), 1, "of the absence");
}

#[test]
fn a_save_that_fails_stores_nothing() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    let mut deal = cart();
    deal["stock"] = json!(77);
    shelf.fail(true);
    client.put("/deals/5", &deal.to_string()).problem(503);
    shelf.fail(false);
    let answer = client.get("/deals/5");
    assert_eq!(answer.json(), cart());
    let loaded = "larder; fwd=uri-miss; stored; detail=loaded";
    assert_eq!(answer.header("cache-status"), loaded);
}

#[test]
fn of_many_puts_at_once_the_cache_keeps_none_but_the_last_at_the_source() {
    let shelf = Shelf::with_cart();
    shelf.gate.close();
    let service = Service::over(&shelf);
    let deals = (1..=20).map(|stock| {
        let mut deal = cart();
        deal["stock"] = json!(stock);
        deal
    });
    let mut clients: Vec<_> = deals
        .map(|deal| service.client().with(request(&deal)))
        .collect();
    smol::block_on(shelf.gate.arrived(20));
    shelf.gate.open();
    for client in &mut clients {
        assert_eq!(client.answer().status, 200);
    }
    let last = serde_json::to_value(shelf.holds(5)).expect("JSON");
    let mut client = service.client();
    assert_eq!(client.get("/deals/5").json(), last);
    near(&mut client, 5, &last);
}

#[test]
fn a_load_that_read_before_a_put_does_not_undo_it() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut deal = cart();
    deal["stock"] = json!(77);
    shelf.gate.close();
    let mut reader = service
        .client()
        .with("GET /deals/5 HTTP/1.1\r\nHost: a\r\n\r\n");
    smol::block_on(shelf.gate.arrived(1));
    let mut writer = service.client().with(request(&deal));
    smol::block_on(shelf.gate.arrived(2));
    shelf.gate.open();
    assert_eq!(reader.answer().status, 200);
    assert_eq!(writer.answer().json(), deal);
    let mut client = service.client();
    assert_eq!(client.get("/deals/5").json(), deal);
    near(&mut client, 5, &deal);
}
