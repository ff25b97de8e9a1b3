//! Several programs on one Redis server, or on none.

mod down;

use std::time::Duration;

use larder::Clock;
use larder_servers::Server;
use serde_json::json;
use tempfile::TempDir;

use crate::daemon::{Answer, Daemon};

/// Asks until it is so; half a minute in vain fails the test.
#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let clock = Clock::monotonic();
    let start = clock.now();
    while !is_so() {
        let passed = clock.now().since(start);
        assert!(passed < Duration::from_secs(30), "never: {what}");
    }
}

/// A program that has its server.
fn node(folder: &TempDir, server: &Server, more: &[&str]) -> Daemon {
    let url = server.url();
    let args = [&["--redis-url", url.as_str()], more].concat();
    let daemon = Daemon::in_folder(folder.path(), &args);
    until("connected", || state(&daemon) == "connected");
    daemon
}

fn state(daemon: &Daemon) -> String {
    let ready = daemon.get("/readyz");
    assert_eq!(ready.status, 200);
    let state = ready
        .body
        .lines()
        .find_map(|line| line.strip_prefix("shared store: "));
    state.expect("a state").to_owned()
}

#[track_caller]
fn detail(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.body);
    let status = answer.header("cache-status");
    status
        .rsplit("detail=")
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// How many programs are started at most for one answer that a busy machine may have kept from the store in time.
const TRIES: usize = 5;

/// A new program with what it answers first. One for which the store was too slow says nothing of the store.
#[track_caller]
fn fresh(start: impl Fn() -> Daemon, path: &str) -> (Daemon, Answer) {
    let answers = std::iter::repeat_with(|| {
        let daemon = start();
        let answer = daemon.get(path);
        (daemon, answer)
    });
    let in_time = |(_, answer): &(_, Answer)| !answer.header("cache-status").contains("fwd=bypass");
    answers.take(TRIES).find(in_time).expect("one in time")
}

/// A new program that finds at the store what is at a path. One whose first heartbeat comes while it reads does not use
/// what it has read, and loads.
#[track_caller]
fn found(start: impl Fn() -> Daemon, path: &str) -> (Daemon, Answer) {
    let tries = (0..TRIES).map(|_| fresh(&start, path));
    let far = tries
        .into_iter()
        .find(|(_, answer)| detail(answer) == "far");
    far.expect("one that finds it")
}

/// A program that has put what is at a path under a key of the server.
#[track_caller]
fn stored(start: impl Fn() -> Daemon, path: &str, server: &Server, key: &str) -> Daemon {
    for _ in 0..TRIES {
        let (daemon, answer) = fresh(&start, path);
        assert!(["loaded", "far"].contains(&detail(&answer).as_str()));
        if length(server, key) > 60 {
            return daemon;
        }
    }
    panic!("it is never stored");
}

/// How long an entry is; a token alone is shorter than 60 bytes.
fn length(server: &Server, key: &str) -> usize {
    let length = server.ask(&["STRLEN", key]).expect("an answer");
    length[0].parse().expect("a length")
}

#[test]
fn one_loads_for_all_and_a_change_on_one_is_a_change_on_all() {
    let Some(server) = Server::start() else {
        return;
    };
    let folder = TempDir::new().expect("a folder");
    let start = || node(&folder, &server, &[]);
    let one = stored(start, "/deals/5", &server, "larderd:deals:5");
    let (two, far) = found(start, "/deals/5");
    let status = far.header("cache-status");
    assert!(status.starts_with("larder; hit; ttl="), "{status}");
    until("near", || detail(&two.get("/deals/5")) == "near");

    let mut deal = far.json();
    deal["stock"] = json!(77);
    assert_eq!(one.ask("PUT", "/deals/5", &deal.to_string()).status, 200);
    assert_eq!(one.get("/deals/5").json()["stock"], 77);
    until("heard", || two.get("/deals/5").json()["stock"] == 77);
}

#[test]
fn s6_users_lie_there_encrypted_and_a_broken_entry_is_a_miss() {
    let Some(server) = Server::start() else {
        return;
    };
    let folder = TempDir::new().expect("a folder");
    let (key, other) = ("17".repeat(32), "71".repeat(32));
    let with = |keys: &str| node(&folder, &server, &["--encryption-key", keys]);
    let (path, entry) = ("/users/ada", "larderd:users:ada");
    let first = stored(|| with(&key), path, &server, entry);
    let user = first.get(path);
    let lies = server.ask(&["GET", entry]).expect("an answer").concat();
    for secret in ["made-up-", "user01@example.org", "Ada Winter"] {
        assert!(!lies.contains(secret), "{lies:?}");
    }
    let (_, same) = found(|| with(&key), path);
    assert_eq!(same.body, user.body);
    // Who writes by another key but reads this one too.
    let both = format!("{other},{key}");
    assert_eq!(found(|| with(&both), path).1.body, same.body);

    // Each time anew: one that came too late to read it may have mended it.
    let over_a_broken_entry = || {
        let at = (length(&server, entry) - 20).to_string();
        server
            .ask(&["SETRANGE", entry, &at, "broken"])
            .expect("set");
        with(&key)
    };
    let (_, whole) = fresh(over_a_broken_entry, path);
    assert_eq!(detail(&whole), "loaded");
    drop(stored(|| with(&key), path, &server, entry));
    // Without the key it is nothing.
    assert_eq!(detail(&fresh(|| with(&other), path).1), "loaded");
}

#[test]
fn a_key_that_was_made_is_said_so() {
    let Some(server) = Server::start() else {
        return;
    };
    let folder = TempDir::new().expect("a folder");
    for (more, said) in [
        (&[][..], true),
        (&["--encryption-key", &"17".repeat(32)], false),
    ] {
        let (code, log) = node(&folder, &server, more).end("TERM");
        assert_eq!(code, Some(0), "{log}");
        assert_eq!(log.contains("after a restart"), said, "{log}");
    }
}
