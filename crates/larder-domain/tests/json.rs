//! Texts that are deals, and what is said of those that are not.

use larder_domain::{Deal, JsonError};

const DEAL: &str = r#"{
    "ends_on": "2015-10-18", "starts_on": "2015-10-11", "stock": 1, "discount_percent": 50, "price_cents": 100,
    "list_price_cents": 200, "region": "South", "sub_category": "Tables", "category": "Furniture",
    "title": "A \"table\" \u00fc", "product_id": "P-1", "deal_no": 18446744073709551615
}"#;

#[track_caller]
fn refused(text: &str) -> JsonError {
    Deal::from_json(text.as_bytes()).expect_err("no deal")
}

#[test]
fn fields_may_come_in_any_order() {
    let deal = Deal::from_json(DEAL.as_bytes()).expect("a deal");
    assert_eq!(
        (deal.deal_no, deal.title.as_str()),
        (u64::MAX, "A \"table\" ü")
    );
    let again = serde_json::to_vec(&deal).expect("JSON");
    assert_eq!(Deal::from_json(&again), Ok(deal));
}

#[test]
fn a_text_that_is_no_json_is_told_by_its_place() {
    let error = refused(&DEAL.replace("\"South\"", "South"));
    let JsonError::Syntax {
        reason,
        line,
        column,
    } = &error
    else {
        panic!("{error:?}");
    };
    assert_eq!((reason.as_str(), *line, *column), ("expected value", 3, 40));
    assert_eq!(
        error.to_string(),
        "not JSON: expected value at line 3 column 40"
    );
    for text in [
        "",
        "{",
        "nul",
        &"[".repeat(100_000),
        &DEAL.replace("table", "\\ud800"),
    ] {
        assert!(matches!(refused(text), JsonError::Syntax { .. }));
    }
    // A wrong field before the place does not hide that the text is broken.
    assert!(matches!(
        refused("{\"colour\": 1,"),
        JsonError::Syntax { .. }
    ));
}

#[test]
fn what_is_no_object_is_told_apart() {
    for text in ["null", "5", "\"deal\"", "[]"] {
        assert_eq!(refused(text), JsonError::NotAnObject);
    }
}

#[test]
fn a_wrong_field_is_named() {
    for (from, to, name) in [
        ("\"stock\"", "\"stocks\"", "stocks"),
        ("\"stock\": 1,", "", "stock"),
        ("\"stock\": 1,", "\"stock\": 1, \"stock\": 1,", "stock"),
        ("\"stock\": 1,", "\"stock\": 1.0,", "stock"),
        ("\"P-1\"", "null", "product_id"),
        ("\"P-1\"", "\" \"", "product_id"),
        ("2015-10-18", "2015-10-10", "ends_on"),
        ("100,", "9007199254740992,", "price_cents"),
    ] {
        let error = refused(&DEAL.replacen(from, to, 1));
        assert!(
            matches!(&error, JsonError::Field { field, .. } if field == name),
            "{error}"
        );
    }
}
