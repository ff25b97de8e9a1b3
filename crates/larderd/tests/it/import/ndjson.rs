//! Lines of NDJSON that are no deal.

use tempfile::TempDir;

use super::{deals, import, imported, line};

#[test]
fn a_bad_line_of_ndjson_is_named_and_nothing_is_changed() {
    let folder = TempDir::new().expect("a folder");
    imported(
        folder.path(),
        &line(1, "kept"),
        "imported: 1 new, 0 replaced",
    );
    let good = line(2, "good");
    for (bad, at, column) in [
        (
            good.replace("\"deal_no\":2", "\"deal_no\":\"2\""),
            3,
            "deal_no",
        ),
        (good.replace("\"deal_no\":2,", ""), 3, "deal_no"),
        (line(3, "twice"), 3, "deal_no"),
        (good.replace("good", ""), 3, "title"),
        (good.replace("100", "-1"), 3, "price_cents"),
        (good.replace("50", "101"), 3, "discount_percent"),
        (good.replace("2015-10-18", "2015-02-29"), 3, "ends_on"),
        (good.replace("stock", "stocks"), 3, "stocks"),
        (
            good.replace("\"stock\":1", "\"stock\":1,\"stock\":2"),
            3,
            "stock",
        ),
        (format!("\n\n{}", good.replace("good", "")), 5, "title"),
        (good[..good.len() - 1].to_owned(), 3, "row"),
        (format!("[{good}]"), 3, "row"),
        ("5".to_owned(), 3, "row"),
        (format!("{good}{good}"), 3, "row"),
        ("[".repeat(10_000), 3, "row"),
    ] {
        let text = [
            line(7, "first"),
            line(3, "before"),
            bad.clone(),
            line(8, "last"),
        ]
        .join("\n");
        let (code, said) = import(folder.path(), &text);
        assert_eq!(code, Some(2), "{bad}: {said}");
        let start = format!("larderd: {column} (\"deals\" line {at}): ");
        assert!(said.starts_with(&start), "{bad}: {said}");
    }
    assert_eq!(deals(folder.path()), [(1, "kept".to_owned())]);
}
