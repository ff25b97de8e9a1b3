//! Bad input: refused with the name of what is wrong, and nothing stored.

use serde_json::{Value, json};

use crate::support::{Service, Shelf, cart};

#[test]
fn a_number_that_is_none_is_400_and_named() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    let wrong = [
        "abc",
        "-1",
        "+5",
        "5.0",
        "0x5",
        "1e3",
        "5%20",
        "%205",
        "",
        "%00",
        "%FF",
        "%zz",
        "%",
        "5%2",
        "a%2Fb",
        "%2B5",
        "%2535",
        "18446744073709551616",
        "99999999999999999999999",
        "%D9%A5",
        "5;v=1",
        "5,6",
    ];
    for no in wrong {
        let problem = client.get(&format!("/deals/{no}")).problem(400);
        assert_eq!(problem["parameter"], "no", "{no}");
        client
            .put(&format!("/deals/{no}"), &cart().to_string())
            .problem(400);
        client.delete(&format!("/deals/{no}")).problem(400);
    }
    assert_eq!(shelf.reads(), 0);
}

#[test]
fn a_body_that_is_no_json_is_400() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    let whole = cart().to_string();
    let wrong = [
        "",
        "{",
        "deal",
        "{\"title\":}",
        &whole[..whole.len() - 1],
        &format!("{whole}{whole}"),
        "\u{feff}{}",
    ];
    for body in wrong {
        client.put("/deals/5", body).problem(400);
    }
    client.put("/deals/5", &"[".repeat(60_000)).problem(400);
    let broken = cart().to_string().replace("Eldon", "\\ud800");
    client.put("/deals/5", &broken).problem(400);
    assert_eq!(serde_json::to_value(shelf.holds(5)).expect("json"), cart());
}

#[test]
fn bytes_that_are_no_text_are_400() {
    let service = Service::over(&Shelf::with_cart());
    let mut client = service.client();
    client.send("PUT /deals/5 HTTP/1.1\r\nHost: larder\r\nContent-Length: 14\r\n\r\n");
    client.send(b"{\"title\":\"\xff\"} ");
    client.answer().problem(400);
}

#[test]
fn json_that_is_no_object_is_422() {
    let service = Service::over(&Shelf::with_cart());
    let mut client = service.client();
    let values: Vec<_> = cart()
        .as_object()
        .expect("object")
        .values()
        .cloned()
        .collect();
    for body in [
        json!(null),
        json!(5),
        json!("deal"),
        json!([]),
        Value::Array(values),
    ] {
        client.put("/deals/5", &body.to_string()).problem(422);
    }
}

#[test]
fn a_wrong_field_is_422_and_named() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    let wrong = [
        ("deal_no", json!(6)),
        ("deal_no", json!("5")),
        ("deal_no", json!(18_446_744_073_709_551_616_f64)),
        ("title", json!("")),
        ("title", json!(7)),
        ("title", Value::Null),
        ("list_price_cents", json!(-1)),
        ("price_cents", json!(-1118)),
        ("price_cents", json!(11.5)),
        ("price_cents", json!("1118")),
        ("discount_percent", json!(101)),
        ("discount_percent", json!(-1)),
        ("discount_percent", json!(1000)),
        ("stock", json!(-2)),
        ("starts_on", json!("2015-02-29")),
        ("starts_on", json!(20_151_011)),
        ("starts_on", json!("2015-10-19")),
        ("ends_on", json!("2015-10-10")),
        ("colour", json!("red")),
    ];
    for (field, value) in wrong {
        let mut deal = cart();
        deal[field] = value.clone();
        let problem = client.put("/deals/5", &deal.to_string()).problem(422);
        // The two days are wrong together; the end is the one that is named.
        let named = if value == "2015-10-19" {
            "ends_on"
        } else {
            field
        };
        assert_eq!(problem["field"], named, "{value}");
    }
    assert_eq!(serde_json::to_value(shelf.holds(5)).expect("json"), cart());
}

#[test]
fn a_missing_field_is_422_and_named() {
    let service = Service::over(&Shelf::with_cart());
    let mut client = service.client();
    for field in cart().as_object().expect("object").keys() {
        let mut deal = cart();
        deal.as_object_mut().expect("object").remove(field);
        let problem = client.put("/deals/5", &deal.to_string()).problem(422);
        assert_eq!(problem["field"], *field);
    }
}

#[test]
fn a_field_given_twice_is_422_and_named() {
    let service = Service::over(&Shelf::with_cart());
    let mut client = service.client();
    let twice = cart()
        .to_string()
        .replace("\"stock\":2", "\"stock\":2,\"stock\":3");
    let problem = client.put("/deals/5", &twice).problem(422);
    assert_eq!(problem["field"], "stock");
}

#[test]
fn what_was_refused_is_not_created() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    let mut deal = cart();
    deal["deal_no"] = json!(6);
    deal["price_cents"] = json!(-1);
    client.put("/deals/6", &deal.to_string()).problem(422);
    client.get("/deals/6").problem(404);
    assert_eq!(shelf.holds(6), None);
}
