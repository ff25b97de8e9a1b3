//! `larderd import`: all deals of a file, or none.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use crate::daemon::{Daemon, run};

mod csv;
mod ndjson;

const NAMES: &str = "deal_no,product_id,title,category,sub_category,region,list_price_cents,price_cents,discount_percent,stock,starts_on,ends_on";

/// A row of CSV that is good.
fn row(no: u64, title: &str) -> String {
    format!("{no},P-1,\"{title}\",Furniture,Tables,South,200,100,50,1,2015-10-11,2015-10-18")
}

/// The same as a line of NDJSON.
fn line(no: u64, title: &str) -> String {
    let deal = json!({
        "deal_no": no,
        "product_id": "P-1",
        "title": title,
        "category": "Furniture",
        "sub_category": "Tables",
        "region": "South",
        "list_price_cents": 200,
        "price_cents": 100,
        "discount_percent": 50,
        "stock": 1,
        "starts_on": "2015-10-11",
        "ends_on": "2015-10-18",
    });
    deal.to_string()
}

/// Imports a text and gives the exit code, and what was printed or said.
fn import(folder: &Path, text: impl AsRef<[u8]>) -> (Option<i32>, String) {
    fs::write(folder.join("deals"), text).expect("write");
    let output = run(folder, &["import", "deals"]);
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8(said).expect("UTF-8");
    (output.status.code(), said.trim_end().to_owned())
}

#[track_caller]
fn imported(folder: &Path, text: &str, said: &str) {
    assert_eq!(import(folder, text), (Some(0), said.to_owned()));
}

/// Number and title of each deal in the database.
fn deals(folder: &Path) -> Vec<(i64, String)> {
    let database = rusqlite::Connection::open(folder.join("larder.db")).expect("open");
    let mut query = database
        .prepare("SELECT deal_no, title FROM deals ORDER BY deal_no")
        .expect("a table");
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

#[test]
fn csv_and_ndjson_put_the_same_deals() {
    let hard = "a \u{201c}\u{a0}title\u{201d}, \u{d55c}";
    let csv = TempDir::new().expect("a folder");
    let rows = [NAMES, &row(1, hard), &row(9, "of two\nlines")].join("\n");
    imported(csv.path(), &rows, "imported: 2 new, 0 replaced");
    let ndjson = TempDir::new().expect("a folder");
    let lines = [line(9, "of two\nlines"), String::new(), line(1, hard)].join("\r\n");
    imported(ndjson.path(), &lines, "imported: 2 new, 0 replaced");
    let expected = [(1, hard.to_owned()), (9, "of two\nlines".to_owned())];
    assert_eq!(deals(csv.path()), expected);
    assert_eq!(deals(ndjson.path()), expected, "and no others");

    let daemon = Daemon::in_folder(csv.path(), &[]);
    let shown = daemon.get("/deals/1").json();
    assert_eq!(
        shown,
        serde_json::from_str::<serde_json::Value>(&line(1, hard)).expect("JSON")
    );
}

#[test]
fn deals_replace_those_of_their_numbers_and_leave_the_others() {
    let folder = TempDir::new().expect("a folder");
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/data/deals.csv");
    let output = run(folder.path(), &["import", shipped]);
    assert_eq!(output.stdout, b"imported: 5196 new, 0 replaced\n");
    let output = run(folder.path(), &["--log", "off", "import", shipped]);
    assert_eq!(output.stdout, b"imported: 0 new, 5196 replaced\n");
    let text = [NAMES, &row(5, "other"), &row(u64::MAX, "last")].join("\r\n");
    imported(folder.path(), &text, "imported: 1 new, 1 replaced");
    let deals = deals(folder.path());
    assert_eq!(deals.len(), 5197);
    assert!(deals.contains(&(5, "other".to_owned())));
}

#[test]
fn a_file_that_is_none_is_named() {
    let folder = TempDir::new().expect("a folder");
    for (text, said) in [
        ("", "row (\"deals\" line 1): there is none"),
        (" \n\n", "row (\"deals\" line 1): there is none"),
        (
            "deal_no,title\n1,a\n",
            "row (\"deals\" line 1): the first must be deal_no,product_id,",
        ),
        ("PK\u{3}\u{4}", "row (\"deals\" line 1): the first must be"),
    ] {
        let (code, answer) = import(folder.path(), text);
        assert_eq!(code, Some(2), "{answer}");
        assert!(answer.contains(said), "{answer}");
    }
    for (args, said) in [
        (
            &["import"][..],
            "import (the command line): the file to import is missing",
        ),
        (
            &["import", "nowhere.csv"],
            "import (the command line): cannot read \"nowhere.csv\"",
        ),
        (
            &["import", "."],
            "import (the command line): cannot read \".\"",
        ),
        (
            &["import", "deals", "deals"],
            "deals (the command line): not known",
        ),
        (&["export", "deals"], "export (the command line): not known"),
        (
            &["import", "deals", "--database", "."],
            "row (\"deals\" line 1)",
        ),
    ] {
        let output = run(folder.path(), args);
        assert_eq!(output.status.code(), Some(2));
        let answer = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(answer.contains(said), "{answer}");
    }
    assert!(
        !folder.path().join("larder.db").exists(),
        "nothing was made"
    );
}

#[test]
fn a_row_that_does_not_end_is_refused() {
    let folder = TempDir::new().expect("a folder");
    let much = "x".repeat(1_000_000);
    for text in [
        format!("{{{much}"),
        format!("{}\n{{\"title\":\"{much}", line(1, "good")),
        much.clone(),
        format!("{NAMES}\n\"{much}"),
        format!("{NAMES}\n{}\n{much}", row(1, "good")),
    ] {
        let (code, said) = import(folder.path(), &text);
        assert_eq!(code, Some(2), "{said}");
        assert!(
            said.contains("row (") && said.ends_with("does not end within 65536 bytes"),
            "{said}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_large_file_takes_no_more_memory_than_a_small_one() {
    let folder = TempDir::new().expect("a folder");
    let mut file = BufWriter::new(File::create(folder.path().join("deals")).expect("create"));
    let title = "x".repeat(30_000);
    writeln!(file, "{NAMES}").expect("write");
    for no in 0..2_500 {
        writeln!(file, "{}", row(no, &title)).expect("write");
    }
    file.into_inner().expect("flush");
    // 75 MB through 50 MB of address space, of which the program takes more than half.
    let script = "ulimit -v 50000; exec \"$0\" import deals";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_larderd")])
        .current_dir(folder.path())
        .output()
        .expect("run");
    let said = String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8");
    assert_eq!(said, "imported: 2500 new, 0 replaced\n");
}

#[test]
fn a_service_on_the_same_database_goes_on_and_sees_the_deals_soon() {
    let (daemon, folder) = Daemon::start();
    assert_eq!(daemon.get("/deals/4").status, 200);
    let cheap = "/deals?region=South&max_price_cents=100&limit=500";
    let before = daemon.get(cheap).body;
    imported(
        folder.path(),
        &[line(4, "imported"), line(1_000_000, "imported")].join("\n"),
        "imported: 1 new, 1 replaced",
    );
    // Otherwise the list would be kept for half a minute and the deal for five.
    let clock = larder::Clock::monotonic();
    let late = clock.now().after(Duration::from_secs(20));
    while daemon.get("/deals/4").json()["title"] != "imported" || daemon.get(cheap).body == before {
        assert!(clock.now() < late);
    }
    let mut deal = daemon.get("/deals/1000000").json();
    deal["title"] = json!("changed");
    let put = daemon.ask("PUT", "/deals/1000000", &deal.to_string());
    assert_eq!(put.status, 200);
}
