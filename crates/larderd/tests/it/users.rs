//! Users, as they are shipped: what of them leaves the program.

use std::fs;
use std::io::Read;
use std::thread;

use tempfile::TempDir;

use crate::daemon::{Answer, Daemon};

const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/users.csv");

/// The shipped users, as columns of texts.
fn shipped() -> Vec<Vec<String>> {
    let text = fs::read_to_string(SHIPPED).expect("the users");
    let rows = text.lines().skip(1);
    rows.map(|row| row.split(',').map(str::to_owned).collect())
        .collect()
}

fn escaped(id: &str) -> String {
    id.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[test]
fn bug_j8_each_is_found_by_any_spelling_of_the_id() {
    let (daemon, _folder) = Daemon::start();
    for user in shipped() {
        let answer = daemon.get(&format!("/users/{}", escaped(&user[0])));
        assert_eq!(answer.status, 200, "{}", answer.body);
        let shown = answer.json();
        for (field, at) in [
            ("user_id", 0),
            ("user_code", 1),
            ("email", 2),
            ("user_name", 4),
        ] {
            assert_eq!(shown[field], user[at]);
        }
    }
    for (one, other) in [("a%20b", "%61%20b"), ("%41", "A"), ("a%2Fb", "a%2fb")] {
        assert_eq!(
            daemon.get(&format!("/users/{one}")).body,
            daemon.get(&format!("/users/{other}")).body
        );
    }
    assert_eq!(daemon.get("/users/ADA").status, 404);
    for wrong in ["%FF", "%zz", "%00"] {
        assert_eq!(daemon.get(&format!("/users/{wrong}")).status, 400);
    }
}

#[test]
fn bug_k1_no_password_key_or_url_is_in_answers_or_logs_at_any_level() {
    let folder = TempDir::new().expect("a folder");
    let key = "c0ffee00".repeat(8);
    let settings = [
        "--log",
        "trace",
        "--redis-url",
        "redis://canary-user:canary-secret@127.0.0.1:9/1",
        "--encryption-key",
        &key,
    ];
    let mut daemon = Daemon::in_folder(folder.path(), &settings);
    let mut stderr = daemon.child.stderr.take().expect("stderr");
    let logging = thread::spawn(move || {
        let mut log = String::new();
        stderr.read_to_string(&mut log).expect("a log");
        log
    });
    let ask = |path: &str| {
        let Answer { head, body, .. } = daemon.get(path);
        format!("{head}{body}")
    };
    let mut said: Vec<_> = shipped()
        .iter()
        .map(|user| ask(&format!("/users/{}", escaped(&user[0]))))
        .collect();
    // A source that fails while it has a row in its hands.
    let file = rusqlite::Connection::open(folder.path().join("larder.db")).expect("open");
    let broken = "ALTER TABLE users RENAME COLUMN app_password TO gone";
    file.execute_batch(broken).expect("break");
    file.execute_batch("INSERT INTO users VALUES ('eve', '', '', 'made-up-x', '', 'made-up-y')")
        .expect("insert");
    let failed = daemon.get("/users/eve");
    assert_eq!(failed.status, 503, "{}", failed.body);
    said.extend([failed.body, ask("/users/nobody"), ask("/readyz")]);
    daemon.child.kill().expect("kill");
    let log = logging.join().expect("a log");
    assert!(log.contains("the source failed"), "{log}");
    said.push(log);
    for text in said {
        for secret in ["made-up-", "canary", "c0ffee", "127.0.0.1:9/"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
}
