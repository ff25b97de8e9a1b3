//! Raw bodies: framed rightly, wrongly, late or not at all.

use crate::support::{Client, Service, Shelf, cart};

const GET: &str = "GET /deals/5 HTTP/1.1\r\nHost: larder\r\n\r\n";

#[test]
fn a_request_in_single_bytes_is_read() {
    let service = Service::over(&Shelf::with_cart());
    let mut client = service.client();
    let body = cart().to_string();
    let request = format!(
        "PUT /deals/5 HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    for byte in request.bytes() {
        client.send([byte]);
    }
    assert_eq!(client.answer().json(), cart());
}

#[test]
fn bug_j4_a_hidden_request_reaches_no_handler() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let hidden = "GET /deals/7 HTTP/1.1\r\nHost: a\r\n\r\n";
    let heads = [
        format!("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"),
        format!("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n{hidden}"),
        format!("Transfer-Encoding : chunked\r\nContent-Length: 0\r\n\r\n{hidden}"),
        format!("Transfer-Encoding: xchunked\r\n\r\n{hidden}"),
        format!("Transfer-Encoding: chunked, gzip\r\n\r\n{hidden}"),
        format!("Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc{hidden}"),
        format!("Content-Length: +3\r\n\r\nabc{hidden}"),
        format!("Content-Length: 3, 3\r\n\r\nabc{hidden}"),
        format!("Content-Length: -1\r\n\r\n{hidden}"),
        format!("Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{hidden}"),
        format!("Transfer-Encoding: chunked\r\n\r\nxyz\r\n{hidden}"),
    ];
    for head in heads {
        let answers = service.statuses(format!("POST /deals/5 HTTP/1.1\r\nHost: a\r\n{head}"));
        assert!(matches!(answers[..], [400 | 405]), "{head:?}: {answers:?}");
    }
    assert_eq!(shelf.reads(), 1, "of deal 5 alone");
}

#[test]
fn chunks_are_read_as_one_body() {
    let service = Service::over(&Shelf::with_cart());
    let mut client = service.client();
    client.send("PUT /deals/5 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    for byte in cart().to_string().bytes() {
        client.send([b"1;note=x\r\n", &[byte][..], b"\r\n"].concat());
    }
    client.send("0\r\nTrailer: \u{e9}\r\n\r\n");
    assert_eq!(client.answer().json(), cart());
    assert_eq!(client.get("/deals/5").json(), cart());
}

#[test]
fn a_body_that_ends_early_is_400() {
    let service = Service::over(&Shelf::with_cart());
    for body in [
        "Content-Length: 10\r\n\r\n{}",
        "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
    ] {
        let mut client = service.client();
        client.send(format!("PUT /deals/5 HTTP/1.1\r\nHost: a\r\n{body}"));
        client.end();
        client.answer().problem(400);
        assert_eq!(client.rest(), "");
    }
}

#[test]
fn bug_j11_who_expects_to_continue_is_told_so_and_who_is_refused_is_not() {
    let service = Service::over(&Shelf::with_cart());
    let body = cart().to_string();
    let head = |length: usize, expected: &str| {
        format!(
            "PUT /deals/5 HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\nExpect: {expected}\r\n\r\n"
        )
    };
    let mut client = service.client();
    client.send(head(body.len(), "100-Continue"));
    assert_eq!(client.answer().status, 100);
    client.send(&body);
    assert_eq!(client.answer().json(), cart());
    assert_eq!(client.get("/deals/5").json(), cart());

    client.send(head(1_000_000, "100-continue"));
    client.answer().problem(413);
    service
        .client()
        .with(head(2, "miracles"))
        .answer()
        .problem(417);
}

#[test]
fn bug_j11_a_late_body_for_an_unknown_path_leaves_the_connection_usable() {
    let service = Service::over(&Shelf::with_cart());
    let mut client = service.client();
    client.send("POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n");
    // The other connection's answer shows that the server has gone on to other things.
    assert_eq!(service.client().get("/livez").status, 200);
    client.send("body");
    client.answer().problem(404);
    assert_eq!(client.get("/deals/5").json(), cart());
}

#[test]
fn a_client_that_shut_its_writing_side_gets_its_answer() {
    let shelf = Shelf::with_cart();
    shelf.gate.close();
    let service = Service::over(&shelf);
    let mut client = service.client();
    client.send(GET);
    client.end();
    smol::block_on(shelf.gate.arrived(1));
    shelf.gate.open();
    assert_eq!(client.answer().json(), cart());
    assert_eq!(client.rest(), "");
}

#[test]
fn clients_that_leave_in_the_middle_harm_nobody() {
    let service = Service::over(&Shelf::with_cart());
    for request in [
        "",
        "GET /de",
        "PUT /deals/5 HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{",
        GET,
    ] {
        drop(service.client().with(request));
    }
    assert_eq!(Client::to(service.address).get("/deals/5").json(), cart());
}

#[test]
fn what_is_sent_after_the_last_request_does_not_cost_its_answer() {
    let service = Service::over(&Shelf::with_cart());
    let last = "GET /deals/5 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    // More than the server's buffer takes, so that a part of it stays in the socket.
    let statuses = service.statuses(format!("{last}{}", "x".repeat(100_000)));
    assert_eq!(statuses, [200]);
}
