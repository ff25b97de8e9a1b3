//! Lists over the shipped deals.

use std::fs;

use serde_json::{Value, json};

use crate::daemon::Daemon;

/// All deals of a filter, page by page.
fn walk(daemon: &Daemon, query: &str) -> Vec<Value> {
    let mut deals = Vec::new();
    let mut next = Some(format!("/deals?limit=500&{query}"));
    while let Some(path) = next {
        let page = daemon.get(&path).json();
        deals.extend(page["deals"].as_array().expect("deals").clone());
        next = page["next"].as_str().map(str::to_owned);
    }
    deals
}

fn numbers(deals: &[Value]) -> Vec<u64> {
    let numbers = deals.iter().map(|deal| deal["deal_no"].as_u64());
    numbers.map(|no| no.expect("a number")).collect()
}

#[test]
fn the_pages_are_all_deals_in_order_once() {
    let (daemon, _folder) = Daemon::start();
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/data/deals.csv"))
        .expect("the data");
    let shipped = text.lines().skip(1).map(|line| {
        let (no, _) = line.split_once(',').expect("a number first");
        no.parse::<u64>().expect("a number")
    });
    let mut shipped: Vec<_> = shipped.collect();
    shipped.sort_unstable();
    let all = walk(&daemon, "");
    assert_eq!(numbers(&all), shipped);

    let chosen = |deal: &&Value| {
        deal["category"] == "Office Supplies"
            && deal["region"] == "South"
            && (1000..=5000).contains(&deal["price_cents"].as_u64().expect("cents"))
    };
    let expected: Vec<_> = all.iter().filter(chosen).cloned().collect();
    assert!(expected.len() > 20, "{}", expected.len());
    let query = "category=Office+Supplies&region=South&min_price_cents=1000&max_price_cents=5000";
    assert_eq!(walk(&daemon, query), expected);
    assert_eq!(walk(&daemon, "sub_category=Nothing"), Vec::<Value>::new());
}

/// The body of an answer in chunks, which must be whole.
fn dechunked(mut body: &str) -> String {
    let mut whole = String::new();
    loop {
        let (size, rest) = body.split_once("\r\n").expect("a size");
        let size = usize::from_str_radix(size, 16).expect("a size");
        whole.push_str(&rest[..size]);
        body = rest[size..].strip_prefix("\r\n").expect("a whole chunk");
        if size == 0 {
            assert_eq!(body, "");
            return whole;
        }
    }
}

#[test]
fn a_stream_is_what_the_pages_are() {
    let (daemon, _folder) = Daemon::start();
    for query in ["", "category=Furniture&region=West"] {
        let answer = daemon.get(&format!("/deals/stream?{query}"));
        assert_eq!(answer.header("content-type"), "application/x-ndjson");
        let lines = dechunked(&answer.body);
        let deals = lines
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        assert_eq!(deals.collect::<Vec<Value>>(), walk(&daemon, query));
    }
}

#[test]
fn a_batch_is_the_deals_one_by_one() {
    let (daemon, _folder) = Daemon::start();
    let numbers = [4, u64::MAX, 5, 4];
    let body = json!({ "deal_nos": numbers }).to_string();
    let batch = daemon.ask("POST", "/deals/batch", &body).json();
    for (no, deal) in numbers
        .iter()
        .zip(batch["deals"].as_array().expect("deals"))
    {
        let single = daemon.get(&format!("/deals/{no}"));
        if *no == u64::MAX {
            assert_eq!((single.status, deal), (404, &Value::Null));
        } else {
            assert_eq!(single.json(), *deal);
        }
    }
}

#[test]
fn numbers_beyond_what_sqlite_holds_keep_their_order() {
    let (daemon, _folder) = Daemon::start();
    let mut deal = daemon.get("/deals/5").json();
    deal["region"] = json!("Far North");
    let greatest = [1, (1 << 63) - 1, 1 << 63, u64::MAX - 1, u64::MAX];
    for no in greatest.into_iter().rev() {
        deal["deal_no"] = json!(no);
        let put = daemon.ask("PUT", &format!("/deals/{no}"), &deal.to_string());
        assert!(matches!(put.status, 200 | 201), "{}", put.body);
    }
    let mut seen = Vec::new();
    let mut next = Some("/deals?region=Far+North&limit=1".to_owned());
    while let Some(path) = next {
        let page = daemon.get(&path).json();
        seen.extend(numbers(page["deals"].as_array().expect("deals")));
        next = page["next"].as_str().map(str::to_owned);
    }
    assert_eq!(seen, greatest);
}
