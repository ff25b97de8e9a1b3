//! Raw heads: every malformed request is answered with a status, and the next connection is served.

use crate::support::{Service, Shelf, cart};

const GET: &str = "GET /deals/5 HTTP/1.1\r\nHost: larder\r\n\r\n";

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
        let answers = service.statuses(bytes);
        assert!(matches!(answers[..], [400]), "{what}: {answers:?}");
    }
}

#[test]
fn a_method_that_nobody_knows_is_501_and_methods_have_one_case() {
    let service = Service::over(&Shelf::with_cart());
    for method in ["BREW", "get", "Get"] {
        assert_eq!(
            service.statuses(format!("{method} /deals/5 HTTP/1.1\r\nHost: a\r\n\r\n")),
            [501]
        );
    }
    assert_eq!(
        service.statuses("CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n"),
        [400]
    );
    assert_eq!(
        service.statuses("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"),
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
        assert_eq!(service.statuses(request), [200], "{host}");
    }
}

#[test]
fn http_1_0_needs_no_host_and_closes() {
    let service = Service::over(&Shelf::with_cart());
    assert_eq!(service.statuses("GET /deals/5 HTTP/1.0\r\n\r\n"), [200]);
    let mut client = service.client();
    client.send("GET /deals/5 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    assert_eq!(client.answer().status, 200);
    assert_eq!(client.get("/deals/5").status, 200);
}

#[test]
fn bare_line_feeds_and_absolute_targets_are_read() {
    let service = Service::over(&Shelf::with_cart());
    assert_eq!(
        service.statuses("GET /deals/5 HTTP/1.1\nHost: a\n\n"),
        [200]
    );
    assert_eq!(
        service.statuses("GET http://other/deals/5 HTTP/1.1\r\nHost: a\r\n\r\n"),
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
            assert_eq!(service.statuses(request), [200], "{name}");
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
