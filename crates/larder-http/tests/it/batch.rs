//! Many deals in one answer.

use serde_json::{Value, json};

use crate::support::{Client, Service, Shelf, cart};

fn ask(client: &mut Client, numbers: &[u64]) -> Value {
    let answer = client.post("/deals/batch", &json!({ "deal_nos": numbers }).to_string());
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["deals"].clone()
}

fn prices(deals: &Value) -> Vec<Option<u64>> {
    let deals = deals.as_array().expect("deals").iter();
    deals.map(|deal| deal["price_cents"].as_u64()).collect()
}

#[test]
fn m1_a_batch_is_one_question_and_keeps_its_order() {
    let shelf = Shelf::with_cart();
    shelf.fill(1..=3);
    let service = Service::over(&shelf);
    let mut client = service.client();
    let deals = ask(&mut client, &[3, 99, 1, 3, 5]);
    assert_eq!(
        prices(&deals),
        [Some(3), None, Some(1), Some(3), Some(1118)]
    );
    assert_eq!(deals[4], cart());
    assert_eq!(shelf.reads(), 1);
    // Each is kept by itself, absence too.
    assert_eq!(client.get("/deals/3").json(), deals[0]);
    client.get("/deals/99").problem(404);
    assert_eq!(prices(&ask(&mut client, &[99, 5])), [None, Some(1118)]);
    assert_eq!(shelf.reads(), 1);
    assert_eq!(prices(&ask(&mut client, &[5, 2])), [Some(1118), Some(2)]);
    assert_eq!(shelf.reads(), 2);
}

#[test]
fn its_cache_status_counts_the_keys_of_each_outcome() {
    let shelf = Shelf::with_cart();
    shelf.fill(1..=3);
    let service = Service::over(&shelf);
    let mut client = service.client();
    ask(&mut client, &[1, 2]);
    let body = json!({ "deal_nos": [1, 2, 3, 5, 99, 1] }).to_string();
    let answer = client.post("/deals/batch", &body);
    let status = answer.header("cache-status");
    let members: Vec<_> = status.split(", ").collect();
    assert_eq!(members.len(), 2, "{status}");
    assert!(
        members[0].starts_with("larder; hit; ttl=")
            && members[0].ends_with("; detail=near; keys=2"),
        "{status}"
    );
    assert_eq!(
        members[1],
        "larder; fwd=uri-miss; stored; detail=loaded; keys=3"
    );
}

#[test]
fn m1_batches_and_single_questions_share_one_load() {
    let shelf = Shelf::with_cart();
    shelf.gate.close();
    let service = Service::over(&shelf);
    let body = json!({ "deal_nos": [5] }).to_string();
    let length = body.len();
    let batch =
        format!("POST /deals/batch HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n{body}");
    let mut first = service.client().with(&batch);
    smol::block_on(shelf.gate.arrived(1));
    let mut second = service.client().with(&batch);
    let mut third = service
        .client()
        .with("GET /deals/5 HTTP/1.1\r\nHost: a\r\n\r\n");
    shelf.gate.open();
    assert_eq!(first.answer().json()["deals"], json!([cart()]));
    assert_eq!(second.answer().json()["deals"], json!([cart()]));
    assert_eq!(third.answer().json(), cart());
    assert_eq!(shelf.reads(), 1);
}

#[test]
fn a_change_is_in_the_next_batch() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    assert_eq!(prices(&ask(&mut client, &[5, 6])), [Some(1118), None]);
    let mut deal = cart();
    deal["deal_no"] = json!(6);
    deal["price_cents"] = json!(7);
    client.put("/deals/6", &deal.to_string());
    client.delete("/deals/5");
    assert_eq!(prices(&ask(&mut client, &[5, 6])), [None, Some(7)]);
}

#[test]
fn a_wrong_number_is_one_problem_that_names_it() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    let many: Vec<u64> = (0..501).collect();
    for (body, field) in [
        (json!({ "deal_nos": [5, -1, "x"] }), "deal_nos[1]"),
        (json!({ "deal_nos": [5, 5.5] }), "deal_nos[1]"),
        (json!({ "deal_nos": ["5"] }), "deal_nos[0]"),
        (json!({ "deal_nos": [5, 6, null] }), "deal_nos[2]"),
        (json!({ "deal_nos": [1.0e20] }), "deal_nos[0]"),
        (json!({ "deal_nos": [[5]] }), "deal_nos[0]"),
        (json!({ "deal_nos": [] }), "deal_nos"),
        (json!({ "deal_nos": many }), "deal_nos"),
        (json!({ "deal_nos": 5 }), "deal_nos"),
        (json!({ "deal_nos": [5], "limit": 1 }), "deal_nos"),
        (json!({}), "deal_nos"),
        (json!(null), "deal_nos"),
        (json!([[5]]), "deal_nos"),
    ] {
        let problem = client.post("/deals/batch", &body.to_string()).problem(422);
        assert_eq!(problem["field"], field, "{body}");
    }
    let twice = r#"{ "deal_nos": [5], "deal_nos": [6] }"#;
    client.post("/deals/batch", twice).problem(422);
    for body in ["", "{", "[5", "{\"deal_nos\":[5]}}", "deal_nos=5"] {
        client.post("/deals/batch", body).problem(400);
    }
    assert_eq!(shelf.reads(), 0);
    assert_eq!(
        ask(&mut client, &many[..500]).as_array().map(Vec::len),
        Some(500)
    );
}

#[test]
fn a_failed_source_is_one_problem_for_all_of_them() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    ask(&mut client, &[5]);
    shelf.fail(true);
    let failed = client.post("/deals/batch", r#"{ "deal_nos": [5, 6, 7] }"#);
    failed.problem(503);
    assert!(!failed.body.contains("secret"));
    assert!(
        failed
            .header("cache-status")
            .ends_with("larder; fwd=uri-miss; detail=failed; keys=2"),
        "{}",
        failed.header("cache-status")
    );
    // What is held is answered all the same.
    assert_eq!(ask(&mut client, &[5]), json!([cart()]));
    shelf.fail(false);
    assert_eq!(prices(&ask(&mut client, &[5, 6])), [Some(1118), None]);
}

#[test]
fn it_is_asked_by_post_alone() {
    let service = Service::over(&Shelf::with_cart());
    let mut client = service.client();
    for method in ["GET", "PUT", "DELETE", "PATCH"] {
        client.send(format!("{method} /deals/batch HTTP/1.1\r\nHost: a\r\n\r\n"));
        let answer = client.answer();
        answer.problem(405);
        assert_eq!(answer.header("allow"), "POST");
    }
}
