//! Many clients at once: one load for all.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use larder_http::Limits;

use crate::support::{Client, Service, Shelf, cart};

/// Taken by tests with hundreds of connections: together they would pass the usual limit on open files.
static CROWD: Mutex<()> = Mutex::new(());

fn crowd() -> MutexGuard<'static, ()> {
    CROWD.lock().unwrap_or_else(PoisonError::into_inner)
}

const GET: &str = "GET /deals/5 HTTP/1.1\r\nHost: a\r\n\r\n";

fn clients(service: &Service, count: usize) -> Vec<Client> {
    (0..count).map(|_| service.client().with(GET)).collect()
}

/// How often each `detail` of `Cache-Status` came, after checking that every answer is the deal.
fn details(clients: &mut [Client]) -> HashMap<String, usize> {
    let mut details = HashMap::new();
    for client in clients {
        let answer = client.answer();
        assert_eq!((answer.status, answer.json()), (200, cart()));
        let status = answer.header("cache-status");
        let (_, detail) = status.rsplit_once("detail=").expect("a detail");
        *details.entry(detail.to_owned()).or_default() += 1;
    }
    details
}

#[test]
fn bug_a9_two_hundred_requests_for_one_cold_deal_are_one_load() {
    let _crowd = crowd();
    let shelf = Shelf::with_cart();
    shelf.gate.close();
    let service = Service::over(&shelf);
    let mut clients = clients(&service, 200);
    smol::block_on(shelf.gate.arrived(1));
    shelf.gate.open();
    let details = details(&mut clients);
    assert_eq!(details.get("loaded"), Some(&1), "{details:?}");
    assert_eq!(details.values().sum::<usize>(), 200);
    assert!(
        details
            .keys()
            .all(|detail| ["loaded", "joined", "near"].contains(&detail.as_str()))
    );
    assert_eq!(shelf.reads(), 1);
}

#[test]
fn bug_a9_half_of_them_hanging_up_changes_nothing_for_the_rest() {
    let _crowd = crowd();
    let shelf = Shelf::with_cart();
    shelf.gate.close();
    let service = Service::over(&shelf);
    let mut clients = clients(&service, 200);
    smol::block_on(shelf.gate.arrived(1));
    // The first, who began the load, is among those who leave.
    clients.drain(..100);
    assert_eq!(service.client().get("/livez").status, 200);
    shelf.gate.open();
    let details = details(&mut clients);
    assert!(
        details.get("loaded").is_none_or(|loaded| *loaded <= 1),
        "{details:?}"
    );
    assert_eq!(shelf.reads(), 1);
    assert_eq!(service.client().get("/deals/5").json(), cart());
    assert_eq!(shelf.reads(), 1);
}

#[test]
fn bug_a10_fifty_waiters_get_the_error_of_one_call() {
    let shelf = Shelf::with_cart();
    shelf.gate.close();
    shelf.fail(true);
    let service = Service::on_one_thread(&shelf, Limits::default());
    let mut clients = clients(&service, 50);
    service.settle();
    shelf.gate.open();
    let mut failed = 0;
    for client in &mut clients {
        let answer = client.answer();
        answer.problem(503);
        assert!(!answer.body.contains("secret"));
        assert_eq!(
            answer.header("cache-status"),
            "larder; fwd=uri-miss; detail=failed"
        );
        failed += 1;
    }
    assert_eq!((failed, shelf.reads()), (50, 1));

    shelf.fail(false);
    assert_eq!(
        service.client().get("/deals/5").json(),
        cart(),
        "nothing of the failure was stored"
    );
    assert_eq!(shelf.reads(), 2);
}

#[test]
fn bug_e1_many_absences_are_one_load_too() {
    let shelf = Shelf::with_cart();
    shelf.gate.close();
    let service = Service::over(&shelf);
    let request = GET.replace("/5", "/6");
    let mut clients: Vec<_> = (0..20).map(|_| service.client().with(&request)).collect();
    smol::block_on(shelf.gate.arrived(1));
    shelf.gate.open();
    for client in &mut clients {
        client.answer().problem(404);
    }
    assert_eq!(shelf.reads(), 1);
}

#[test]
fn bug_j15_an_error_reaches_every_caller_and_is_not_kept() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    shelf.fail(true);
    for reads in 1..=3 {
        client.get("/deals/5").problem(503);
        assert_eq!(shelf.reads(), reads);
    }
    client.put("/deals/5", &cart().to_string()).problem(503);
    client.delete("/deals/5").problem(503);
    shelf.fail(false);
    assert_eq!(client.get("/deals/5").json(), cart());
}

#[test]
fn bug_j12_clients_that_leave_cost_no_more_loads_than_the_limit() {
    let _crowd = crowd();
    let shelf = Shelf::with_cart();
    shelf.gate.close();
    let service = Service::on_one_thread(&shelf, Limits::default());
    let cold = |no: usize| format!("GET /deals/{no} HTTP/1.1\r\nHost: a\r\n\r\n");
    let first = service.client().with(cold(100));
    smol::block_on(shelf.gate.arrived(1));
    let others: Vec<_> = (101..400)
        .map(|no| service.client().with(cold(no)))
        .collect();
    smol::block_on(shelf.gate.arrived(256));
    service.settle();
    assert_eq!(shelf.reads(), 256, "the limit of a cache");
    let refused = service.client().get("/deals/500");
    refused.problem(503);
    assert_eq!(refused.header("retry-after"), "1");

    drop((first, others));
    shelf.gate.open();
    service.client().get("/deals/100").problem(404);
    assert_eq!(
        shelf.reads(),
        256,
        "what was loaded for those who left is kept"
    );
    service.client().get("/deals/500").problem(404);
    assert_eq!(shelf.reads(), 257);
}
