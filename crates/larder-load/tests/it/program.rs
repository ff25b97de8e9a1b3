//! The program `larder-load`.

use std::fs;
use std::process::{Command, Output};

use crate::server::{OK, Server};

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_larder-load"));
    command.args(arguments).output().expect("start")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn it_shows_a_table_and_writes_all_three_files() {
    let server = Server::http(|head| {
        assert!(head.starts_with("POST /") && head.contains("\r\nx-a: b\r\n"));
        OK.to_vec()
    });
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (json, csv, samples) = (path("a.json"), path("a.csv"), path("b.csv"));
    let url = format!("http://{}/a", server.address);
    let output = run(&[
        &url,
        "--users",
        "3",
        "--threads=2",
        "--requests",
        "60",
        "--each",
        "40",
        "--timeout",
        "20s",
        "--path",
        "/b",
        "--method",
        "POST",
        "--header",
        "x-a: b",
        "--json",
        &json,
        "--csv",
        &csv,
        "--samples",
        &samples,
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let table = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        table.contains("executed 60   successful 60   failed 0"),
        "{table}"
    );
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(json).expect("JSON")).expect("JSON");
    assert_eq!(json["successful"], 60);
    assert_eq!(json["samples"].as_array().map(Vec::len), Some(60));
    assert!(fs::read_to_string(csv).expect("CSV").starts_with("second,"));
    assert_eq!(
        fs::read_to_string(samples).expect("CSV").lines().count(),
        61
    );
}

#[test]
fn it_says_what_is_wrong() {
    let url = "http://127.0.0.1:1/";
    let elsewhere = format!("http://{}/", "192.0.2.1");
    for (code, part, arguments) in [
        (2, "no target", vec![]),
        (2, "--nothing", vec![url, "--nothing"]),
        (2, "unexpected", vec![url, "more"]),
        (2, "unit", vec![url, "--duration", "10"]),
        (2, "missing", vec![url, "--users"]),
        (2, "redis", vec![url, "--command", "PING"]),
        (2, "http", vec!["redis://127.0.0.1:1", "--no-keep-alive"]),
        (2, "http://", vec!["https://127.0.0.1/"]),
        (
            2,
            "10,000",
            vec![
                "redis://127.0.0.1:1",
                "--command",
                "PING",
                "--pipeline",
                "10001",
            ],
        ),
        (1, "users", vec![url, "--users", "0"]),
        (1, "no command", vec!["redis://127.0.0.1:1"]),
        (1, "loopback", vec![&elsewhere]),
        (1, "cannot connect", vec![url]),
    ] {
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(
            stderr(&output).contains(part),
            "{part}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn a_load_without_one_good_answer_fails() {
    let server = Server::http(|_| b"HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n".to_vec());
    let output = run(&[&format!("http://{}/", server.address), "--requests", "3"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("3 × status 500"));
    assert!(stderr(&output).contains("no request had a good answer"));
}

#[test]
fn its_help_names_every_option() {
    let output = run(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    let help = String::from_utf8(output.stdout).expect("UTF-8");
    for option in [
        "users",
        "threads",
        "rate",
        "warm-up",
        "duration",
        "requests",
        "each",
        "timeout",
        "connect-first",
        "anywhere",
        "method",
        "path",
        "header",
        "body",
        "no-keep-alive",
        "command",
        "pipeline",
        "json",
        "csv",
        "samples",
    ] {
        assert!(help.contains(&format!("--{option}")), "{option}");
    }
}
