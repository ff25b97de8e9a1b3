//! What is promised to who starts it for the first time.

use serde_json::json;
use tempfile::TempDir;

use crate::daemon::Daemon;

#[test]
fn the_first_minutes() {
    let (daemon, _folder) = Daemon::start();
    assert_eq!(
        daemon.example,
        format!("Try: curl -i http://{}/deals/5", daemon.address)
    );

    let first = daemon.get("/deals/5");
    let deal = first.json();
    assert_eq!(first.status, 200);
    assert_eq!(deal["title"], "Eldon Fold 'N Roll Cart System");
    assert_eq!(
        (&deal["price_cents"], &deal["discount_percent"]),
        (&json!(1118), &json!(20))
    );
    assert_eq!(
        first.header("cache-status"),
        "larder; fwd=uri-miss; stored; detail=loaded"
    );
    let second = daemon.get("/deals/5");
    assert_eq!(second.json(), deal);
    let hit = second.header("cache-status");
    assert!(
        hit.starts_with("larder; hit; ttl=") && hit.ends_with("; detail=near"),
        "{hit}"
    );

    let mut changed = deal.clone();
    changed["price_cents"] = json!(999);
    let put = daemon.ask("PUT", "/deals/5", &changed.to_string());
    assert_eq!((put.status, put.json()), (200, changed.clone()));
    let third = daemon.get("/deals/5");
    assert_eq!(third.json(), changed);
    let hit = third.header("cache-status");
    assert!(hit.starts_with("larder; hit; ttl="), "{hit}");

    assert_eq!(daemon.ask("DELETE", "/deals/5", "").status, 204);
    assert_eq!(daemon.get("/deals/5").status, 404);
    assert_eq!(daemon.ask("DELETE", "/deals/5", "").status, 404);
    assert_eq!(daemon.ask("PUT", "/deals/5", &deal.to_string()).status, 201);
    assert_eq!(daemon.get("/deals/5").json(), deal);
}

#[test]
fn refusals_name_what_is_wrong_and_store_nothing() {
    let (daemon, _folder) = Daemon::start();
    let deal = daemon.get("/deals/%35").json();
    for no in ["five", "-1", "+5", "18446744073709551616", "%00"] {
        let answer = daemon.get(&format!("/deals/{no}"));
        assert_eq!(
            (answer.status, &answer.json()["parameter"]),
            (400, &json!("no")),
            "{no}"
        );
    }
    for (field, value) in [
        ("price_cents", json!(-1)),
        ("discount_percent", json!(101)),
        ("deal_no", json!(6)),
    ] {
        let mut wrong = deal.clone();
        wrong[field] = value;
        let answer = daemon.ask("PUT", "/deals/5", &wrong.to_string());
        assert_eq!(
            (answer.status, &answer.json()["field"]),
            (422, &json!(field))
        );
    }
    assert_eq!(daemon.ask("PUT", "/deals/5", "no json").status, 400);
    assert_eq!(
        daemon.ask("PUT", "/deals/5", &" ".repeat(70_000)).status,
        413
    );
    assert_eq!(daemon.get("/deals/5").json(), deal);
}

#[test]
fn the_largest_number_is_a_number_like_any_other() {
    let (daemon, _folder) = Daemon::start();
    let path = format!("/deals/{}", u64::MAX);
    assert_eq!(daemon.get(&path).status, 404);
    let mut deal = daemon.get("/deals/5").json();
    deal["deal_no"] = json!(u64::MAX);
    assert_eq!(daemon.ask("PUT", &path, &deal.to_string()).status, 201);
    assert_eq!(daemon.get(&path).json(), deal);
    assert_eq!(daemon.ask("DELETE", &path, "").status, 204);
}

#[test]
fn it_says_when_it_is_alive_and_ready() {
    let (daemon, _folder) = Daemon::start();
    assert_eq!(daemon.get("/livez").status, 200);
    assert_eq!(daemon.get("/readyz").status, 200);
}

#[cfg(unix)]
#[test]
fn both_signals_end_it_in_order() {
    for signal in ["TERM", "INT"] {
        let (daemon, _folder) = Daemon::start();
        assert_eq!(daemon.get("/deals/5").status, 200);
        let (code, log) = daemon.end(signal);
        assert_eq!(code, Some(0), "{log}");
        assert!(!log.contains("panic"), "{log}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn every_thread_is_ours_or_smols() {
    let folder = TempDir::new().expect("a folder");
    let daemon = Daemon::in_folder(folder.path(), &["--workers", "3"]);
    for path in ["/deals/5", "/deals/5", "/deals/6", "/nowhere", "/readyz"] {
        daemon.get(path);
    }
    daemon.ask("PUT", "/deals/5", "{");
    let tasks = std::fs::read_dir(format!("/proc/{}/task", daemon.child.id())).expect("tasks");
    let names: Vec<_> = tasks
        .map(|task| {
            std::fs::read_to_string(task.expect("a task").path().join("comm")).expect("a name")
        })
        .map(|name| name.trim_end().to_owned())
        .collect();
    let ours = |name: &&String| {
        ["larderd", "larder-1", "larder-2", "upstream", "async-io"].contains(&name.as_str())
    };
    let other: Vec<_> = names
        .iter()
        .filter(|name| !ours(name) && !name.starts_with("blocking-"))
        .collect();
    assert!(other.is_empty(), "{other:?}");
    assert_eq!(
        names
            .iter()
            .filter(|name| name.starts_with("larder"))
            .count(),
        3,
        "{names:?}"
    );
}

/// A write that waits for a lock of another program is one thing; reads that wait for it another.
#[test]
fn a_write_that_waits_for_the_files_lock_keeps_no_reader_waiting() {
    let (daemon, folder) = Daemon::start();
    let deal = daemon.get("/deals/5").json();
    let other = rusqlite::Connection::open(folder.path().join("larder.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|scope| {
        let write = scope.spawn(|| daemon.ask("PUT", "/deals/5", &deal.to_string()).status);
        // Each of these would wait behind the write, if it came to the database first or not.
        for no in [4, 8, 9] {
            assert_eq!(daemon.get(&format!("/deals/{no}")).status, 200);
        }
        assert_eq!(daemon.get("/deals?limit=1").status, 200);
        assert_eq!(daemon.get("/readyz").status, 200);
        assert!(!write.is_finished(), "the write still waits for the lock");
        other.execute_batch("ROLLBACK").unwrap();
        assert_eq!(write.join().unwrap(), 200);
    });
}
