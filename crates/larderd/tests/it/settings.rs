//! Settings: where they come from, which wins, and what is said of a wrong one.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use tempfile::TempDir;

use crate::daemon::{Daemon, command, finish, run};

/// The one line that a wrong setting leaves on stderr.
#[track_caller]
fn refusal(output: &std::process::Output) -> String {
    let text = String::from_utf8(output.stderr.clone()).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(output.stdout.is_empty());
    assert_eq!(text.matches('\n').count(), 1, "one line: {text:?}");
    text.trim_end().to_owned()
}

#[track_caller]
fn names(line: &str, parts: &[&str]) {
    for part in parts {
        assert!(line.contains(part), "{line:?} does not say {part:?}");
    }
}

#[test]
fn a_wrong_flag_is_named_with_its_reason() {
    let folder = TempDir::new().expect("a folder");
    let wrong = [
        ("listen", "nonsense", "127.0.0.1:8080"),
        ("listen", "127.0.0.1", "port"),
        ("listen", "127.0.0.1:65536", "port"),
        ("listen", "", "address"),
        ("workers", "0", "1 to 1024"),
        ("workers", "-1", "1 to 1024"),
        ("workers", "many", "1 to 1024"),
        ("workers", "100000", "1 to 1024"),
        ("log", "loud", "debug"),
        ("log", "larder=loud", ""),
        ("log", "", "info"),
        ("database", "", "file"),
        ("database", "no/such/folder/larder.db", "open"),
        ("database", ".", "open"),
        ("connections", "0", "1 to 1000000"),
        ("connections", "-1", "1 to 1000000"),
        ("max_head", "4KiB", "from 8KiB to 1024KiB"),
        ("max_head", "16kb", "such as 32KiB"),
        ("max_body", "1GiB", "from 1KiB to 65536KiB"),
        ("max_body", "", "from 1KiB"),
        ("body_timeout", "30", "such as 30s"),
        ("write_timeout", "500ms", "from 1s"),
        ("grace", "25h", "to 24h"),
        ("upstream", "https://127.0.0.1", "http://"),
        ("upstream", "", "a URL"),
        ("upstream", "http://user:secret@127.0.0.1", "a user"),
        ("delays", "-1", "0 to 1000000"),
        ("redis_url", "http://user:secret@127.0.0.1", "redis"),
        ("redis_url", "redis://user:secret@127.0.0.1:none", "port"),
        ("redis_url", "", "url"),
        ("encryption_key", "secret", "64 hexadecimal digits"),
        ("blocking", "1025", "0 to 1024"),
    ];
    for (name, value, reason) in wrong {
        let flag = format!("--{}", name.replace('_', "-"));
        let line = refusal(&run(
            folder.path(),
            &["--listen", "127.0.0.1:0", &flag, value],
        ));
        names(&line, &[name, &format!("flag {flag}"), reason]);
        assert!(!line.contains("secret"), "{line}");
    }
}

#[test]
fn bug_d1_a_time_of_zero_is_refused_wherever_it_is_given() {
    let folder = TempDir::new().expect("a folder");
    for name in [
        "head_timeout",
        "body_timeout",
        "work_timeout",
        "write_timeout",
        "idle_timeout",
        "grace",
    ] {
        let flag = format!("--{}", name.replace('_', "-"));
        let variable = format!("LARDER_{}", name.to_uppercase());
        fs::write(
            folder.path().join("larder.toml"),
            format!("{name} = \"0s\""),
        )
        .expect("write");
        let by_flag = run(folder.path(), &[&flag, "0s"]);
        let by_variable = finish(command(folder.path()).env(&variable, "0s"));
        let by_file = run(folder.path(), &["--config", "larder.toml"]);
        for (output, source) in [
            (by_flag, flag.as_str()),
            (by_variable, variable.as_str()),
            (by_file, "line 1"),
        ] {
            names(&refusal(&output), &[name, source, "from 1s to 24h"]);
        }
    }
}

#[test]
fn limits_are_those_that_were_set() {
    let folder = TempDir::new().expect("a folder");
    fs::write(
        folder.path().join("larder.toml"),
        "max_body = 2048\nconnections = 7\n",
    )
    .expect("write");
    let args = [
        "--config",
        "larder.toml",
        "--max-head",
        "8KiB",
        "--head-timeout",
        "1s",
    ];
    let daemon = Daemon::in_folder(folder.path(), &args);
    let deal = daemon.get("/deals/5").body;
    let padded = |length: usize| format!("{deal}{}", " ".repeat(length - deal.len()));
    assert_eq!(daemon.ask("PUT", "/deals/5", &padded(2048)).status, 200);
    assert_eq!(daemon.ask("PUT", "/deals/5", &padded(2049)).status, 413);
    assert_eq!(daemon.get(&format!("/{}", "a".repeat(8000))).status, 404);
    assert_eq!(daemon.get(&format!("/{}", "a".repeat(8200))).status, 431);
    let mut late = TcpStream::connect(&daemon.address).expect("connect");
    late.write_all(b"GET /deals/5").expect("send");
    let mut answer = String::new();
    late.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
}

#[test]
fn a_wrong_variable_is_named() {
    let folder = TempDir::new().expect("a folder");
    for (variable, name) in [
        ("LARDER_LISTEN", "listen"),
        ("LARDER_WORKERS", "workers"),
        ("LARDER_LOG", "log"),
        ("LARDER_REDIS_URL", "redis_url"),
        ("LARDER_ENCRYPTION_KEY", "encryption_key"),
    ] {
        let output = finish(command(folder.path()).env(variable, "non\nsense"));
        names(&refusal(&output), &[name, variable]);
    }
}

#[test]
fn a_wrong_line_of_the_file_is_named() {
    let folder = TempDir::new().expect("a folder");
    let wrong = [
        ("log = \"info\"\nworkers = 0\n", "workers", "line 2"),
        ("\n\nlisten = \"here\"", "listen", "line 3"),
        ("listen = 8080", "listen", "line 1"),
        ("workers = 1.5", "workers", "line 1"),
        ("workers = [1]", "workers", "line 1"),
        ("log = \"info\"\ncolour = \"red\"", "colour", "line 2"),
        ("[listen]\nport = 1", "listen", "line 1"),
        ("log = \"info\"\nlog = \"warn\"", "config", "line 2"),
        ("# settings\nworkers = \n", "config", "line 2"),
        (
            "\nredis_url = \"redis:/:secret@127.0.0.1\"",
            "redis_url",
            "line 2",
        ),
        (
            "\n\nencryption_key = \"secret\"",
            "encryption_key",
            "line 3",
        ),
    ];
    for (text, name, line) in wrong {
        fs::write(folder.path().join("larder.toml"), text).expect("write");
        let refused = refusal(&run(folder.path(), &["--config", "larder.toml"]));
        names(&refused, &[name, "larder.toml", line]);
        assert!(!refused.contains("secret"), "{refused}");
    }
}

#[test]
fn what_is_not_known_is_refused() {
    let folder = TempDir::new().expect("a folder");
    for args in [
        &["--colour", "red"][..],
        &["-x"],
        &["serve"],
        &["--listen"],
        &["--config"],
    ] {
        let line = refusal(&run(folder.path(), args));
        names(&line, &[args[0].trim_start_matches('-')]);
    }
    let line = refusal(&run(folder.path(), &["--config", "missing.toml"]));
    names(&line, &["config", "--config", "missing.toml"]);
    assert!(
        fs::read_dir(folder.path()).expect("read").next().is_none(),
        "nothing was made"
    );
}

#[test]
fn a_port_in_use_is_named() {
    let folder = TempDir::new().expect("a folder");
    let taken = TcpListener::bind("127.0.0.1:0").expect("bind");
    let address = taken.local_addr().expect("address").to_string();
    let line = refusal(&run(folder.path(), &["--listen", &address]));
    names(&line, &["listen", "flag --listen", "in use"]);
}

#[test]
fn flags_win_over_variables_and_variables_over_the_file() {
    let folder = TempDir::new().expect("a folder");
    let text = "listen = \"127.0.0.1:1\"\ndatabase = \"file.db\"\nworkers = 1\nlog = \"off\"\n";
    fs::write(folder.path().join("larder.toml"), text).expect("write");
    let mut command = command(folder.path());
    command
        .env("LARDER_LISTEN", "nonsense, but a flag wins")
        .env("LARDER_DATABASE", "variable.db")
        .env("LARDER_CONFIG", "larder.toml")
        .args(["--listen", "127.0.0.1:1", "--listen=127.0.0.1:0"]);
    let daemon = Daemon::spawn(&mut command);
    assert_eq!(daemon.get("/deals/5").status, 200);
    assert!(folder.path().join("variable.db").exists());
    assert!(!folder.path().join("file.db").exists());
}

#[test]
fn help_names_every_setting_in_each_spelling() {
    let folder = TempDir::new().expect("a folder");
    let output = run(folder.path(), &["--help"]);
    assert_eq!(output.status.code(), Some(0));
    let help = String::from_utf8(output.stdout).expect("UTF-8");
    for name in [
        "listen",
        "database",
        "workers",
        "log",
        "connections",
        "max_head",
        "max_body",
        "head_timeout",
        "body_timeout",
        "work_timeout",
        "write_timeout",
        "idle_timeout",
        "grace",
        "redis_url",
        "encryption_key",
        "upstream",
        "delays",
        "blocking",
        "config",
    ] {
        let flag = name.replace('_', "-");

        names(
            &help,
            &[
                &format!("--{flag} "),
                &format!("LARDER_{}", name.to_uppercase()),
            ],
        );
    }
    let version = run(folder.path(), &["--version"]);
    assert_eq!(
        version.stdout,
        concat!("larderd ", env!("CARGO_PKG_VERSION"), "\n").as_bytes()
    );
}
