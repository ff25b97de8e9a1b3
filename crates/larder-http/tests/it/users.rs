//! Users: found by any text, shown without passwords.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use larder_domain::{Answer, SourceError, User, UserSource};
use serde_json::json;

use crate::support::Service;

const PASSWORD: &str = "canary-password";
const APP_PASSWORD: &str = "canary-app-password";

/// Everybody whose id does not begin with "no".
#[derive(Default)]
struct People {
    reads: AtomicUsize,
    fails: AtomicBool,
}

impl People {
    fn reads(&self) -> usize {
        self.reads.load(SeqCst)
    }
}

impl UserSource for People {
    fn user(&self, id: &str) -> Answer<'_, Option<User>> {
        let user = User::new(id, "U-1", "ada@example.org", "Ada");
        let user = user.with_passwords(PASSWORD, APP_PASSWORD);
        Box::pin(async move {
            self.reads.fetch_add(1, SeqCst);
            if self.fails.load(SeqCst) {
                return Err(SourceError::unavailable(format!(
                    "no {user:?} at {PASSWORD}"
                )));
            }
            Ok(Some(user).filter(|user| !user.user_id.starts_with("no")))
        })
    }
}

#[test]
fn a_user_is_shown_without_passwords_and_is_then_a_hit() {
    let people = Arc::new(People::default());
    let service = Service::knowing(&people);
    let mut client = service.client();
    let first = client.get("/users/ada");
    let ada = json!({
        "user_id": "ada",
        "user_code": "U-1",
        "email": "ada@example.org",
        "user_name": "Ada",
    });
    assert_eq!((first.status, first.json()), (200, ada));
    assert_eq!(first.header("cache-control"), "no-store");
    assert_eq!(
        first.header("cache-status"),
        "larder; fwd=uri-miss; stored; detail=loaded"
    );
    let second = client.get("/users/ada");
    assert_eq!(second.body, first.body);
    assert!(second.header("cache-status").ends_with("detail=near"));
    client.get("/users/nobody").problem(404);
    client.get("/users/nobody").problem(404);
    assert_eq!(people.reads(), 2);
    client.delete("/users/ada").problem(405);
}

#[test]
fn bug_j8_spellings_of_one_id_share_one_entry() {
    let people = Arc::new(People::default());
    let service = Service::knowing(&people);
    let mut client = service.client();
    for (spellings, id) in [
        (&["a%20b", "%61%20%62", "a%20%62"][..], "a b"),
        (&["%ED%95%9C", "%ed%95%9c"], "한"),
        (&["%41", "A"], "A"),
        (&["a%2Fb", "a%2fb", "%61%2F%62"], "a/b"),
        (&["a+b", "a%2Bb"], "a+b"),
        (&["%2541"], "%41"),
        (&["..%2F..", "%2E%2E%2f%2e%2e"], "../.."),
        (&["batch"], "batch"),
    ] {
        let before = people.reads();
        for spelling in spellings {
            let answer = client.get(&format!("/users/{spelling}"));
            assert_eq!(answer.json()["user_id"], id, "{spelling}");
            client.send(format!(
                "HEAD /users/{spelling} HTTP/1.1\r\nHost: a\r\n\r\n"
            ));
            let head = client.answer_without_body();
            assert_eq!(head.header("content-length"), answer.body.len().to_string());
            assert!(head.header("cache-status").ends_with("detail=near"));
        }
        assert_eq!(people.reads(), before + 1, "{id}");
    }
}

#[test]
fn bug_j8_what_is_no_text_is_400_and_named() {
    let people = Arc::new(People::default());
    let service = Service::knowing(&people);
    let mut client = service.client();
    let long = "a".repeat(129);
    for id in [
        "%FF", "%zz", "%00", "", "%20", "%", "a%2", "a%0Ab", "%C2%85", &long,
    ] {
        let problem = client.get(&format!("/users/{id}")).problem(400);
        assert_eq!(problem["parameter"], "id", "{id}");
    }
    client.get("/users/a/b").problem(404);
    assert_eq!(people.reads(), 0);
    assert_eq!(client.get(&format!("/users/{}", &long[1..])).status, 200);
}

#[test]
fn a_source_that_fails_is_one_problem_that_says_nothing() {
    let people = Arc::new(People::default());
    let service = Service::knowing(&people);
    let mut client = service.client();
    people.fails.store(true, SeqCst);
    let failed = client.get("/users/ada");
    let problem = failed.problem(503);
    assert_eq!(problem["detail"], "the users cannot be reached");
    assert!(!failed.body.contains("canary"), "{}", failed.body);
    people.fails.store(false, SeqCst);
    assert_eq!(client.get("/users/ada").status, 200);
    assert_eq!(people.reads(), 2);
}

#[test]
fn readiness_says_how_a_shared_store_is() {
    let service = Service::knowing(&Arc::new(People::default()));
    let ready = service.client().get("/readyz");
    assert_eq!(
        (ready.status, ready.body.as_str()),
        (200, "ready\nshared store: made up\n")
    );
}
