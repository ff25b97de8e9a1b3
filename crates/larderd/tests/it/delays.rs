//! The two delays, as they come.

use std::net::TcpListener;

use tempfile::TempDir;

use crate::daemon::Daemon;

#[test]
fn s3_both_answer_by_the_upstream_that_comes_along_and_log_their_thread() {
    let folder = TempDir::new().expect("a folder");
    let daemon = Daemon::in_folder(folder.path(), &["--workers", "2"]);
    let mut threads = Vec::new();
    for path in ["/delay/0", "/blocking/0", "/delay/1", "/blocking/1"] {
        let answer = daemon.get(path);
        assert_eq!(answer.status, 200, "{}", answer.body);
        let thread = answer.json()["thread"].as_str().expect("a name").to_owned();
        assert!(["main", "larder-1"].contains(&&*thread), "{thread}");
        threads.push(thread);
    }
    let (code, log) = daemon.end("TERM");
    assert_eq!(code, Some(0), "{log}");
    for (what, thread) in ["awaited", "blocked", "awaited", "blocked"]
        .iter()
        .zip(threads)
    {
        let named = format!("thread=\"{thread}\"");
        let line = |line: &str| line.contains(what) && line.contains(&named);
        assert!(log.lines().any(line), "{what} {named}: {log}");
    }
}

#[test]
fn s3_blocking_never_takes_the_last_thread_unless_it_is_told_to() {
    let folder = TempDir::new().expect("a folder");
    let daemon = Daemon::in_folder(folder.path(), &["--workers", "1"]);
    assert_eq!(daemon.get("/blocking/0").status, 503);
    assert_eq!(daemon.get("/delay/0").status, 200);
    let told = ["--workers", "1", "--blocking", "1", "--delays", "0"];
    let daemon = Daemon::in_folder(folder.path(), &told);
    assert_eq!(daemon.get("/blocking/0").status, 200);
    assert_eq!(daemon.get("/delay/0").status, 503);
}

#[test]
fn another_upstream_is_asked_where_one_is_set() {
    let closed = TcpListener::bind("127.0.0.1:0").expect("bind");
    let url = format!("http://{}", closed.local_addr().expect("address"));
    drop(closed);
    let folder = TempDir::new().expect("a folder");
    let daemon = Daemon::in_folder(folder.path(), &["--upstream", &url]);
    assert_eq!(daemon.get("/delay/0").status, 502);
    assert_eq!(daemon.get("/readyz").status, 200);
}
