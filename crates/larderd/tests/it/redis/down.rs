//! A program whose server is not there, goes, or stands still, and one that lacks descriptors.

use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::time::Duration;

use larder::Clock;
use larder_servers::Server;
use serde_json::json;
use tempfile::TempDir;

use super::{detail, node, state, until};
use crate::daemon::Daemon;

#[test]
fn bug_g6_it_starts_without_a_server_and_passes_it_by() {
    let closed = TcpListener::bind("127.0.0.1:0").expect("bind");
    let refused = format!("redis://{}", closed.local_addr().expect("address"));
    drop(closed);
    for url in [&refused, "redis://nobody.invalid:6379"] {
        let folder = TempDir::new().expect("a folder");
        let daemon = Daemon::in_folder(folder.path(), &["--redis-url", url]);
        until("down", || state(&daemon) == "down");
        for turn in 0..30 {
            for no in [4, 5, 8] {
                let answer = daemon.get(&format!("/deals/{no}"));
                let (how, status) = (detail(&answer), answer.header("cache-status"));
                // Without it the near tier is there alone.
                let wanted = if turn == 0 { "loaded" } else { "near" };
                assert_eq!(how, wanted, "{url}");
                let passed = status.starts_with("larder; fwd=bypass");
                assert!(turn > 0 || passed, "{status}");
            }
        }
        let (code, log) = daemon.end("TERM");
        assert_eq!(code, Some(0), "{log}");
        let lines = log
            .lines()
            .filter(|line| line.contains("redis: no connection"));
        assert_eq!(lines.count(), 1, "{log}");
        assert!(log.lines().count() < 20, "none for each request: {log}");
    }
}

#[test]
fn a_server_that_goes_and_comes_back_is_passed_by_meanwhile() {
    let Some(server) = Server::start() else {
        return;
    };
    let folder = TempDir::new().expect("a folder");
    let daemon = node(&folder, &server, &[]);
    assert_eq!(detail(&daemon.get("/deals/5")), "loaded");
    server.kill();
    until("down", || state(&daemon) != "connected");
    let answer = daemon.get("/deals/4");
    assert_eq!(detail(&answer), "loaded");
    let status = answer.header("cache-status");
    assert!(status.starts_with("larder; fwd=bypass"), "{status}");
    server.start_again();
    until("back", || state(&daemon) == "connected");
    until("used", || {
        let deal = daemon.get("/deals/8");
        let passed = deal.header("cache-status").contains("bypass");
        daemon.ask("PUT", "/deals/8", &deal.body);
        !passed
    });
}

/// Its subscription stands, and what was changed waits for the server.
#[test]
fn bug_l3_a_server_that_stands_still_does_not_hold_up_the_end() {
    let Some(server) = Server::start() else {
        return;
    };
    let folder = TempDir::new().expect("a folder");
    let daemon = node(&folder, &server, &["--grace", "1s"]);
    let mut deal = daemon.get("/deals/5").json();
    server.pause();
    deal["stock"] = json!(77);
    let put = daemon.ask("PUT", "/deals/5", &deal.to_string());
    assert_eq!(put.status, 200, "{}", put.body);
    assert_eq!(daemon.get("/deals/5").json()["stock"], 77);
    let clock = Clock::monotonic();
    let start = clock.now();
    let address = daemon.address.clone();
    let (code, log) = daemon.end("TERM");
    let passed = clock.now().since(start);
    server.go_on();
    assert_eq!(code, Some(0), "{log}");
    assert!(!log.contains("panic"), "{log}");
    assert!(passed < Duration::from_secs(10), "{passed:?}");
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn bug_j14_the_connection_to_the_server_outlives_a_lack_of_file_descriptors() {
    let Some(server) = Server::start() else {
        return;
    };
    let folder = TempDir::new().expect("a folder");
    let mut shell = Command::new("sh");
    let script = "ulimit -n 64; exec \"$0\" --listen 127.0.0.1:0 --redis-url \"$1\"";
    shell.args(["-c", script, env!("CARGO_BIN_EXE_larderd"), &server.url()]);
    shell.current_dir(folder.path());
    let mut daemon = Daemon::spawn(&mut shell);
    until("connected", || state(&daemon) == "connected");
    // One for requests, one for what is published.
    until("two connections", || connections(&server).len() == 2);
    let before = connections(&server);
    let mut log = BufReader::new(daemon.child.stderr.take().expect("stderr"));
    let idle: Vec<_> = (0..150)
        .map(|_| TcpStream::connect(&daemon.address).expect("connect"))
        .collect();
    let clock = Clock::monotonic();
    let start = clock.now();
    let mut refused = 0;
    // Some heartbeats of the connection fall into it.
    while clock.now().since(start) < Duration::from_secs(3) {
        let mut line = String::new();
        assert_ne!(log.read_line(&mut line).expect("a line"), 0, "the end");
        refused += u32::from(line.contains("cannot accept"));
    }
    assert!(refused > 0);
    assert_eq!(connections(&server), before, "neither lost nor made anew");
    drop(idle);
    assert_eq!(state(&daemon), "connected");
    daemon.child.stderr = Some(log.into_inner());
    let (code, rest) = daemon.end("TERM");
    assert_eq!(code, Some(0), "{rest}");
    assert!(!rest.contains("panic"), "{rest}");
}

/// Which connections a server has, but for the one that asks.
fn connections(server: &Server) -> Vec<String> {
    let all = server.ask(&["CLIENT", "LIST"]).expect("an answer").concat();
    let others = all.lines().filter(|line| !line.contains("cmd=client"));
    let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    others.map(name).collect()
}
