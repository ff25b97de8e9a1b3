//! What a deal may be, and how it is written.

use larder_domain::{Date, Deal, SourceError, SourceErrorKind};
use serde_json::{Value, json};

fn cart() -> Value {
    json!({
        "deal_no": 5,
        "product_id": "OFF-ST-10000760",
        "title": "Eldon Fold 'N Roll Cart System",
        "category": "Office Supplies",
        "sub_category": "Storage",
        "region": "South",
        "list_price_cents": 1398,
        "price_cents": 1118,
        "discount_percent": 20,
        "stock": 2,
        "starts_on": "2015-10-11",
        "ends_on": "2015-10-18",
    })
}

fn with(field: &str, value: Value) -> Deal {
    let mut json = cart();
    json[field] = value;
    serde_json::from_value(json).expect("right types")
}

#[test]
fn json_has_the_columns_as_fields_and_survives_a_round_trip() {
    let deal: Deal = serde_json::from_value(cart()).expect("a deal");
    deal.check().expect("nothing wrong");
    assert_eq!(serde_json::to_value(&deal).expect("json"), cart());
}

#[test]
fn fields_lists_every_field_in_order() {
    let deal = with("stock", json!(1));
    let text = serde_json::to_string(&deal).expect("json");
    let places: Vec<_> = Deal::FIELDS
        .iter()
        .map(|field| text.find(&format!("\"{field}\":")).expect("a field"))
        .collect();
    assert!(places.is_sorted());
    assert_eq!(
        Deal::FIELDS.len(),
        cart().as_object().expect("object").len()
    );
}

#[test]
fn check_names_the_field() {
    let wrong = [
        ("title", json!("")),
        ("title", json!(" \u{a0}")),
        ("product_id", json!("")),
        ("category", json!("")),
        ("sub_category", json!("\t")),
        ("region", json!("")),
        ("list_price_cents", json!(1_u64 << 53)),
        ("price_cents", json!(u64::MAX)),
        ("stock", json!(1_u64 << 53)),
        ("discount_percent", json!(101)),
        ("ends_on", json!("2015-10-10")),
    ];
    for (field, value) in wrong {
        let refusal = with(field, value).check().expect_err(field);
        assert_eq!(refusal.field, field);
    }
}

#[test]
fn check_lets_the_limits_pass() {
    let right = [
        ("deal_no", json!(u64::MAX)),
        ("price_cents", json!(0)),
        ("price_cents", json!(Deal::MOST)),
        ("discount_percent", json!(0)),
        ("discount_percent", json!(100)),
        ("ends_on", json!("2015-10-11")),
    ];
    for (field, value) in right {
        assert_eq!(with(field, value).check(), Ok(()));
    }
}

#[test]
fn unknown_and_missing_fields_are_refused() {
    let mut more = cart();
    more["colour"] = json!("red");
    assert!(serde_json::from_value::<Deal>(more).is_err());
    let mut less = cart();
    less.as_object_mut().expect("object").remove("stock");
    assert!(serde_json::from_value::<Deal>(less).is_err());
}

#[test]
fn a_day_has_one_spelling() {
    for text in ["2016-02-29", "0000-01-01", "9999-12-31"] {
        assert_eq!(text.parse::<Date>().expect(text).to_string(), text);
    }
    let wrong = [
        "",
        "20151011",
        "2015-10-1",
        "2015-13-01",
        "2015-02-29",
        "2015-10-11T00:00",
        "2015-10-11 ",
        "+015-10-11",
        "2015/10/11",
        "２015-10-1",
    ];
    for text in wrong {
        assert!(text.parse::<Date>().is_err(), "{text}");
    }
}

#[test]
fn days_compare_by_time() {
    let day = |text: &str| text.parse::<Date>().expect(text);
    assert!(day("2015-10-11") < day("2015-10-18"));
    assert!(day("2014-12-31") < day("2015-01-01"));
}

#[test]
fn a_source_error_is_one_word_and_keeps_its_cause() {
    assert_eq!(size_of::<SourceError>(), size_of::<usize>());
    let error = SourceError::unavailable(std::io::Error::other("the disk is gone"));
    assert_eq!(error.kind(), SourceErrorKind::Unavailable);
    assert_eq!(error.to_string(), "the disk is gone");
    let cause = std::error::Error::source(&error).expect("a cause");
    assert!(cause.downcast_ref::<std::io::Error>().is_some());
}
