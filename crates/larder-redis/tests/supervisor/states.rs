//! Going from state to state.

use larder_core::far::Certainty;
use larder_kit::Virtual;
use larder_redis::{ConnectErrorKind, Connection, Reply, Request, State, Wire};
use std::time::Duration;

use crate::target::{Plan, Scripted};
use crate::{MS, over};

pub(crate) fn get() -> Vec<Request> {
    vec![Request::command("GET", vec!["key".into()])]
}

/// What a request that needs no time is answered.
pub(crate) fn ask(connection: &Connection, time: &Virtual) -> Result<Reply, Certainty> {
    let replies = time.block_on(connection.send(get()));
    replies
        .map(|mut replies| replies.remove(0))
        .map_err(|error| error.certainty())
}

#[test]
fn a_connection_is_there_before_its_server() {
    let time = Virtual::new();
    let target = Scripted::planned(&time, &vec![Plan::fails(ConnectErrorKind::Refused); 6]);
    let connection = over(&target, &time);
    assert_eq!(ask(&connection, &time), Err(Certainty::NotSent), "at once");
    time.advance(10 * Duration::from_secs(1));
    assert_eq!(ask(&connection, &time), Ok(Reply::ok()));
    let health = connection.health();
    assert!(
        matches!(health.state, State::Connected { .. }),
        "{health:?}"
    );
    assert_eq!(health.counts.failed[&ConnectErrorKind::Refused], 6);
    assert_eq!((health.counts.connected, health.counts.unavailable), (1, 1));
}

#[test]
fn while_an_attempt_is_under_way_requests_fail_at_once() {
    let time = Virtual::new();
    let target = Scripted::planned(&time, &[Plan::Hangs]);
    let connection = over(&target, &time);
    assert_eq!(connection.health().state, State::Connecting);
    assert_eq!(ask(&connection, &time), Err(Certainty::NotSent));
}

#[test]
fn a_connection_that_ends_is_replaced_before_anybody_asks() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = over(&target, &time);
    time.advance(1500 * MS);
    let first = target.session();
    first.end.open();
    time.run_until_idle();
    assert_eq!(target.sessions(), 2, "in no time");
    assert_eq!(ask(&connection, &time), Ok(Reply::ok()));
    assert_eq!((first.sent(), target.session().sent()), (0, 1));
    let health = connection.health();
    assert_eq!(health.counts.replaced[&ConnectErrorKind::Lost], 1);
    let State::Connected { generation, .. } = health.state else {
        panic!("{health:?}");
    };
    assert_eq!(generation, 2);
    assert_eq!(health.reason.unwrap().kind(), ConnectErrorKind::Lost);
}

#[test]
fn health_says_since_when_and_until_when() {
    let time = Virtual::new();
    let target = Scripted::planned(&time, &[Plan::Hangs, Plan::Hangs]);
    let connection = over(&target, &time);
    time.advance(400 * MS);
    let health = connection.health();
    assert_eq!((health.state, health.since), (State::Connecting, 400 * MS));
    time.advance(600 * MS);
    let health = connection.health();
    let State::Down { retry, .. } = health.state else {
        panic!("{health:?}");
    };
    assert_eq!(health.since, Duration::ZERO);
    assert!(25 * MS <= retry && retry <= 50 * MS, "{retry:?}");
    time.advance(900 * MS);
    assert_eq!(
        connection.health().since,
        900 * MS,
        "one state, two attempts"
    );
    time.advance(5 * Duration::from_secs(1));
    target.session().end.open();
    time.run_until_idle();
    time.advance(7 * MS);
    let health = connection.health();
    assert_eq!((health.state.name(), health.since), ("connected", 7 * MS));
}

#[test]
fn who_waits_for_a_connection_that_is_replaced_hears_of_it_at_once() {
    // Replaced after a pause, and at once.
    for lived in [0, 10] {
        let time = Virtual::new();
        let target = Scripted::new(&time);
        let connection = over(&target, &time);
        time.advance(Duration::from_secs(lived));
        let session = target.session();
        session.answers.close();
        let waiting = time.spawn(async move {
            let answer = connection.send(get()).await;
            answer.map_err(|error| error.certainty())
        });
        time.run_until_idle();
        assert!(!waiting.is_finished());
        session.end.open();
        time.run_until_idle();
        assert!(waiting.is_finished(), "after {lived} s");
        assert_eq!(time.block_on(waiting), Err(Certainty::Unknown));
    }
}

#[test]
fn what_is_dropped_leaves_no_task_and_no_session() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = over(&target, &time);
    assert!(time.tasks() > 0);
    let session = std::sync::Arc::downgrade(&target.session());
    drop(connection);
    time.run_until_idle();
    assert_eq!(time.tasks(), 0);
    drop(target);
    assert_eq!(session.strong_count(), 0);
}
