//! Raw bytes: every malformed request is answered with a status, and the next connection is served.

use crate::support::{Client, Service, Shelf, cart};

const GET: &str = "GET /deals/5 HTTP/1.1\r\nHost: larder\r\n\r\n";

/// What one connection answers to `bytes` before it closes, as statuses.
fn statuses(service: &Service, bytes: impl AsRef<[u8]>) -> Vec<u16> {
    let mut client = service.client();
    client.send(bytes);
    client.end();
    let rest = client.rest();
    assert!(
        service.client().get("/deals/5").status == 200,
        "the next connection is served"
    );
    let lines = rest.split("HTTP/1.").skip(1);
    lines
        .map(|line| line[2..5].parse().expect("a status"))
        .collect()
}

#[test]
fn malformed_heads_are_answered() {
    let service = Service::over(&Shelf::with_cart());
    let wrong = [
        ("no request line", "hello\r\n\r\n"),
        ("a control byte", "\u{0}\r\n\r\n"),
        ("no version", "GET /deals/5\r\n\r\n"),
        (
            "another version",
            "GET /deals/5 HTTP/2.0\r\nHost: a\r\n\r\n",
        ),
        ("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        (
            "a space before the colon",
            "GET /deals/5 HTTP/1.1\r\nHost : a\r\n\r\n",
        ),
        (
            "a header without colon",
            "GET /deals/5 HTTP/1.1\r\nHost: a\r\nx\r\n\r\n",
        ),
        (
            "a folded header",
            "GET /deals/5 HTTP/1.1\r\nHost: a\r\nx: 1\r\n 2\r\n\r\n",
        ),
        (
            "a NUL in a header",
            "GET /deals/5 HTTP/1.1\r\nHost: a\r\nx: \u{0}\r\n\r\n",
        ),
        ("a head that stops", "GET /deals/5 HTTP/1.1\r\nHost: a\r\n"),
        ("a line that stops", "GET /dea"),
        (
            "a space in the path",
            "GET /deals/ 5 HTTP/1.1\r\nHost: a\r\n\r\n",
        ),
        (
            "a path that is not ASCII",
            "GET /deals/\u{665} HTTP/1.1\r\nHost: a\r\n\r\n",
        ),
        ("a backslash", "GET /deals\\5 HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("no path", "GET deals/5 HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("a TLS hello", "\u{16}\u{3}\u{1}\u{0}"),
    ];
    for (what, bytes) in wrong {
        let answers = statuses(&service, bytes);
        assert!(matches!(answers[..], [400]), "{what}: {answers:?}");
    }
}

#[test]
fn a_method_that_nobody_knows_is_501_and_methods_have_one_case() {
    let service = Service::over(&Shelf::with_cart());
    for method in ["BREW", "get", "Get"] {
        assert_eq!(
            statuses(
                &service,
                format!("{method} /deals/5 HTTP/1.1\r\nHost: a\r\n\r\n")
            ),
            [501]
        );
    }
    assert_eq!(
        statuses(&service, "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n"),
        [400]
    );
    assert_eq!(
        statuses(&service, "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"),
        [400]
    );
}

#[test]
fn a_host_is_needed_once_and_must_be_one() {
    let service = Service::over(&Shelf::with_cart());
    for hosts in [
        "",
        "Host: a\r\nHost: a\r\n",
        "Host: a b\r\n",
        "Host: a/b\r\n",
        "Host: me@a\r\n",
        "Host: \u{e9}\r\n",
    ] {
        let mut client = service.client();
        client.send(format!("GET /deals/5 HTTP/1.1\r\n{hosts}\r\n"));
        client.answer().problem(400);
    }
    for host in ["a", "a:80", "127.0.0.1:8080", "[::1]:8080", ""] {
        let request = format!("GET /deals/5 HTTP/1.1\r\nHost: {host}\r\n\r\n");
        assert_eq!(statuses(&service, request), [200], "{host}");
    }
}

#[test]
fn http_1_0_needs_no_host_and_closes() {
    let service = Service::over(&Shelf::with_cart());
    assert_eq!(statuses(&service, "GET /deals/5 HTTP/1.0\r\n\r\n"), [200]);
    let mut client = service.client();
    client.send("GET /deals/5 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    assert_eq!(client.answer().status, 200);
    assert_eq!(client.get("/deals/5").status, 200);
}

#[test]
fn bare_line_feeds_and_absolute_targets_are_read() {
    let service = Service::over(&Shelf::with_cart());
    assert_eq!(
        statuses(&service, "GET /deals/5 HTTP/1.1\nHost: a\n\n"),
        [200]
    );
    assert_eq!(
        statuses(
            &service,
            "GET http://other/deals/5 HTTP/1.1\r\nHost: a\r\n\r\n"
        ),
        [200]
    );
}

#[test]
fn dot_segments_are_refused_in_every_spelling() {
    let service = Service::over(&Shelf::with_cart());
    for path in [
        "/deals/../deals/5",
        "/./deals/5",
        "/deals/%2e%2E/5",
        "/deals/.%2e",
        "/deals/5/%2e",
        "/..",
        "/deals/5/..",
    ] {
        service.client().get(path).problem(400);
    }
    // Dots that are no segment of dots are text like any other.
    let problem = service.client().get("/deals/...").problem(400);
    assert_eq!(problem["parameter"], "no");
}

#[test]
fn bug_j1_header_values_that_are_not_ascii_harm_nobody() {
    let service = Service::over(&Shelf::with_cart());
    let values: [&[u8]; 4] = [
        "скидка".as_bytes(),
        b"\xe9",
        b"\xff\xfe",
        "\u{1f600}".as_bytes(),
    ];
    for name in [
        "X-Note",
        "User-Agent",
        "Cookie",
        "Accept",
        "Content-Type",
        "Authorization",
        "Referer",
    ] {
        for value in values {
            let head = format!("GET /deals/5 HTTP/1.1\r\nHost: a\r\n{name}: ");
            let request = [head.as_bytes(), value, b"\r\n\r\n"].concat();
            assert_eq!(statuses(&service, request), [200], "{name}");
        }
    }
}

#[test]
fn bug_j3_pipelined_requests_are_answered_in_order() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    client.send(
        [
            GET,
            "GET /deals/6 HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n",
        ]
        .concat(),
    );
    assert_eq!(client.answer().json(), cart());
    client.answer().problem(404);
    assert_eq!(client.answer().body, "live\n");

    let put = format!(
        "PUT /deals/5 HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{}{GET}",
        cart().to_string().len(),
        cart(),
    );
    client.send(put);
    assert_eq!(client.answer().status, 200);
    assert_eq!(client.answer().json(), cart());
}

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
        let answers = statuses(
            &service,
            format!("POST /deals/5 HTTP/1.1\r\nHost: a\r\n{head}"),
        );
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
