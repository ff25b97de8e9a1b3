//! The end: orderly, and in bounded time.

use std::net::TcpStream;
use std::time::Duration;

use larder_http::Limits;

use crate::support::{Service, Shelf, cart};

#[test]
fn idle_connections_do_not_hold_it_up() {
    let service = Service::over(&Shelf::with_cart());
    let mut fresh = service.client();
    let mut used = service.client();
    assert_eq!(used.get("/deals/5").status, 200);
    service.stop();
    assert_eq!(fresh.rest(), "");
    assert_eq!(used.rest(), "");
    let address = service.address;
    service.join();
    assert!(TcpStream::connect(address).is_err(), "the port is free");
}

#[test]
fn an_open_request_is_answered_and_then_closed() {
    let shelf = Shelf::with_cart();
    shelf.gate.close();
    let service = Service::on_one_thread(&shelf, Limits::default());
    let mut client = service
        .client()
        .with("GET /deals/5 HTTP/1.1\r\nHost: a\r\n\r\n");
    let mut idle = service.client();
    smol::block_on(shelf.gate.arrived(1));
    assert_eq!(idle.get("/livez").status, 200);
    service.stop();
    // Its close shows that the end has begun, also for the connection before it.
    assert_eq!(idle.rest(), "");
    shelf.gate.open();
    let answer = client.answer();
    assert_eq!(answer.json(), cart());
    assert_eq!(answer.header("connection"), "close");
    assert_eq!(client.rest(), "");
    service.join();
}

#[test]
fn a_request_that_never_ends_is_cut() {
    let shelf = Shelf::with_cart();
    shelf.gate.close();
    let mut limits = Limits::default();
    limits.grace = Duration::from_millis(20);
    let service = Service::on_one_thread(&shelf, limits);
    let mut half = service.client().with("GET /deals/5 HTT");
    let mut client = service
        .client()
        .with("GET /deals/5 HTTP/1.1\r\nHost: a\r\n\r\n");
    service.settle();
    service.stop();
    client.answer().problem(503);
    half.answer().problem(408);
    service.join();
}
