//! What the routes answer.

use crate::support::{Service, Shelf, cart};

#[test]
fn a_deal_is_loaded_once_and_then_a_hit() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();

    let first = client.get("/deals/5");
    assert_eq!((first.status, first.json()), (200, cart()));
    assert_eq!(first.header("content-type"), "application/json");
    assert_eq!(
        first.header("cache-status"),
        "larder; fwd=uri-miss; stored; detail=loaded"
    );

    let second = client.get("/deals/5");
    assert_eq!(second.json(), cart());
    let status = second.header("cache-status");
    let ttl = status
        .strip_prefix("larder; hit; ttl=")
        .and_then(|rest| rest.strip_suffix("; detail=near"));
    let ttl: u64 = ttl.expect(status).parse().expect(status);
    assert!((200..=300).contains(&ttl), "{ttl}");
    assert_eq!(shelf.reads(), 1);
}

#[test]
fn a_delete_is_204_and_seen_by_the_next_get() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    client.get("/deals/5");

    let delete = client.delete("/deals/5");
    assert_eq!((delete.status, delete.body.as_str()), (204, ""));
    client.get("/deals/5").problem(404);
    client.delete("/deals/5").problem(404);
}

#[test]
fn an_unknown_deal_is_404_and_its_absence_is_cached() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();

    let first = client.get("/deals/18446744073709551615");
    first.problem(404);
    assert_eq!(
        first.header("cache-status"),
        "larder; fwd=uri-miss; stored; detail=loaded"
    );
    let second = client.get("/deals/18446744073709551615");
    second.problem(404);
    let status = second.header("cache-status");
    assert!(status.starts_with("larder; hit; ttl="), "{status}");
    assert!(status.ends_with("; detail=near"), "{status}");
    assert_eq!(shelf.reads(), 1);
}

#[test]
fn bug_j10_head_has_the_length_of_get_and_no_body() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();

    client.send("HEAD /deals/5 HTTP/1.1\r\nHost: larder\r\n\r\n");
    let head = client.answer_without_body();
    assert_eq!(head.status, 200);
    let get = client.get("/deals/5");
    assert_eq!(get.json(), cart());
    assert_eq!(head.header("content-length"), get.body.len().to_string());
    assert_eq!(shelf.reads(), 1);
}

#[test]
fn bug_j8_spellings_of_one_number_share_one_entry() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    for path in ["/deals/5", "/deals/%35", "/deals/05", "/deals/5?fresh=1"] {
        assert_eq!(client.get(path).json(), cart(), "{path}");
    }
    assert_eq!(shelf.reads(), 1);
}

#[test]
fn health_follows_the_source() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    assert_eq!(client.get("/livez").status, 200);
    assert_eq!(client.get("/readyz").status, 200);
    shelf.fail(true);
    assert_eq!(client.get("/livez").status, 200);
    client.get("/readyz").problem(503);
}

#[test]
fn an_unknown_path_is_404() {
    let service = Service::over(&Shelf::with_cart());
    let mut client = service.client();
    for path in [
        "/",
        "/deals/5/",
        "/deals/5/title",
        "//deals/5",
        "/livez/",
        "/LIVEZ",
    ] {
        client.get(path).problem(404);
    }
    client.put("/nowhere", "a body").problem(404);
    assert_eq!(client.get("/deals/5").status, 200);
}

#[test]
fn a_wrong_method_is_405_and_says_which_are_right() {
    let service = Service::over(&Shelf::with_cart());
    let mut client = service.client();
    for method in ["POST", "PATCH", "OPTIONS", "TRACE"] {
        for (path, allow) in [
            ("/deals/5", "GET, HEAD, PUT, DELETE"),
            ("/livez", "GET, HEAD"),
            ("/readyz", "GET, HEAD"),
        ] {
            client.send(format!("{method} {path} HTTP/1.1\r\nHost: larder\r\n\r\n"));
            let answer = client.answer();
            answer.problem(405);
            assert_eq!(answer.header("allow"), allow);
        }
    }
}
