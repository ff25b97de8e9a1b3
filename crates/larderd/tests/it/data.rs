//! The shipped deals and the file they fill.

use std::fs;

use tempfile::TempDir;

use crate::daemon::{Daemon, run};

#[test]
fn every_shipped_deal_arrives_intact() {
    let (daemon, _folder) = Daemon::start();
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/data/deals.csv"))
        .expect("the data");
    assert_eq!(text.lines().count(), 5197, "a line a deal, and the names");
    let hard = text
        .lines()
        .filter(|line| line.contains("\"\"") || line.contains('\u{a0}'));
    let mut hard: Vec<_> = hard.collect();
    assert!(
        hard.len() > 100,
        "titles with quotes and no-break spaces are part of it"
    );
    hard.extend(text.lines().last());
    for line in hard.into_iter().step_by(10) {
        let fields = split(line);
        let deal = daemon.get(&format!("/deals/{}", fields[0])).json();
        let shown: Vec<_> = NAMES.iter().map(|name| plain(&deal[*name])).collect();
        assert_eq!(shown, fields);
    }
}

const NAMES: [&str; 12] = [
    "deal_no",
    "product_id",
    "title",
    "category",
    "sub_category",
    "region",
    "list_price_cents",
    "price_cents",
    "discount_percent",
    "stock",
    "starts_on",
    "ends_on",
];

fn plain(value: &serde_json::Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Splits a line of RFC 4180 by hand, so that the parser under test is not its own witness.
fn split(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let field = fields.last_mut().expect("one");
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => field.push(c),
        }
    }
    fields
}

#[cfg(unix)]
#[test]
fn changes_outlive_the_program_and_nothing_is_filled_twice() {
    let (daemon, folder) = Daemon::start();
    assert_eq!(daemon.ask("DELETE", "/deals/5", "").status, 204);
    let (code, log) = daemon.end("TERM");
    assert_eq!(code, Some(0));
    assert!(log.contains("deals=5196"), "{log}");

    let again = Daemon::in_folder(folder.path(), &[]);
    assert_eq!(again.get("/deals/5").status, 404);
    assert_eq!(again.get("/deals/4").status, 200);
    let (_, log) = again.end("TERM");
    assert!(!log.contains("deals="), "{log}");
}

#[test]
fn a_file_that_is_no_database_is_a_wrong_setting_and_left_alone() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("notes.txt");
    let notes = "notes, not deals\n".repeat(100);
    fs::write(&file, &notes).expect("write");
    let output = run(
        folder.path(),
        &["--listen", "127.0.0.1:0", "--database", "notes.txt"],
    );
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_to_string(&file).expect("read"), notes);
}
