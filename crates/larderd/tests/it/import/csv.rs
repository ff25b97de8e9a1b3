//! Rows of CSV that are no deal.

use tempfile::TempDir;

use super::{NAMES, deals, import, imported, row};

#[test]
fn a_bad_row_of_csv_is_named_and_nothing_is_changed() {
    let folder = TempDir::new().expect("a folder");
    imported(
        folder.path(),
        &[NAMES, &row(1, "kept")].join("\n"),
        "imported: 1 new, 0 replaced",
    );
    let good = row(2, "good");
    for (bad, at, column) in [
        (good.replacen('2', "x", 1), 4, "deal_no"),
        (good.replacen('2', "", 1), 4, "deal_no"),
        (good.replacen('2', "+2", 1), 4, "deal_no"),
        (good.replacen('2', "18446744073709551616", 1), 4, "deal_no"),
        (row(3, "twice"), 4, "deal_no"),
        (good.replace("good", " "), 4, "title"),
        (good.replace("200", "-200"), 4, "list_price_cents"),
        (good.replace("100", "1.5"), 4, "price_cents"),
        (good.replace("100", "9007199254740992"), 4, "price_cents"),
        (good.replace(",50,", ",101,"), 4, "discount_percent"),
        (good.replace(",50,", ",256,"), 4, "discount_percent"),
        (good.replace("2015-10-11", "11.10.2015"), 4, "starts_on"),
        (good.replace("2015-10-18", "2015-10-10"), 4, "ends_on"),
        (good.replace("South", ""), 4, "region"),
        (good.replace(",1,", ","), 4, "row"),
        (format!("{good},"), 4, "row"),
        (format!("\n\n{good},"), 6, "row"),
        (format!("{}\n{good},", row(4, "of\ntwo")), 6, "row"),
        (format!("\"{good}"), 4, "row"),
    ] {
        let rows = [
            NAMES,
            &row(7, "first"),
            &row(3, "before"),
            &bad,
            &row(8, "last"),
        ];
        let text = rows.join("\n");
        for text in [text.replace('\n', "\r\n"), format!("\u{feff}{text}"), text] {
            let (code, said) = import(folder.path(), &text);
            assert_eq!(code, Some(2), "{bad}: {said}");
            let start = format!("larderd: {column} (\"deals\" line {at}): ");
            assert!(said.starts_with(&start), "{text:?}: {said}");
            assert_eq!(said.lines().count(), 1, "{said}");
        }
    }
    let mut bytes = [NAMES, &good].join("\n").into_bytes();
    let at = bytes.len() - "good\",Furniture,Tables,South,200,100,50,1,2015-10-11,2015-10-18".len();
    bytes[at] = 0xff;
    let (code, said) = import(folder.path(), bytes);
    assert_eq!(
        (code, said.as_str()),
        (Some(2), "larderd: title (\"deals\" line 2): not UTF-8")
    );
    assert_eq!(deals(folder.path()), [(1, "kept".to_owned())]);
}
