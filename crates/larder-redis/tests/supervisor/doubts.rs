//! Connections that are open and of no use.

use std::sync::Arc;
use std::time::Duration;

use larder_core::far::Certainty;
use larder_kit::Virtual;
use larder_redis::{ConnectError, ConnectErrorKind, Connection, Reply, State, Wire};

use crate::states::{ask, get};
use crate::target::{Plan, Scripted};
use crate::{MS, over};

/// Asks, and leaves after so long.
fn give_up(connection: &Arc<Connection>, time: &Virtual, after: Duration) {
    let asking = connection.clone();
    let waiting = time.spawn(async move { drop(asking.send(get()).await) });
    time.advance(after);
    waiting.cancel();
    time.run_until_idle();
}

fn replaced(connection: &Connection, kind: ConnectErrorKind) -> u64 {
    let counts = connection.health().counts;
    counts.replaced.get(&kind).copied().unwrap_or_default()
}

#[test]
fn bug_g5_a_link_that_is_silent_is_replaced_by_its_heartbeat() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = over(&target, &time);
    time.advance(Duration::from_secs(10));
    target.session().fall_silent();
    time.advance(1999 * MS);
    assert_eq!(target.sessions(), 1);
    time.advance(MS);
    assert_eq!(target.sessions(), 2, "a heartbeat and its patience later");
    assert_eq!(ask(&connection, &time), Ok(Reply::ok()));
    assert_eq!(replaced(&connection, ConnectErrorKind::Silent), 1);
}

#[test]
fn requests_that_time_out_in_a_row_replace_a_silent_link_before_its_heartbeat() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = Arc::new(over(&target, &time));
    time.advance(Duration::from_secs(10));
    target.session().fall_silent();
    // No heartbeat is in its place before they are three.
    give_up(&connection, &time, 500 * MS);
    give_up(&connection, &time, 499 * MS);
    give_up(&connection, &time, Duration::ZERO);
    assert_eq!(target.sessions(), 1, "three, and no patience over yet");
    give_up(&connection, &time, MS);
    assert_eq!(target.sessions(), 2);
    assert_eq!(connection.health().counts.given_up, 4);
}

#[test]
fn an_answer_of_which_next_to_nothing_comes_is_silence() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = Arc::new(over(&target, &time));
    time.advance(Duration::from_secs(10));
    let session = target.session();
    session.fall_silent();
    // As where a length is not that of what follows: small answers to others count as its bytes.
    for _ in 0..20 {
        session.heard.lock().unwrap().bytes += 100;
        give_up(&connection, &time, 250 * MS);
    }
    assert_eq!(target.sessions(), 2);
}

#[test]
fn a_large_answer_that_is_under_way_is_no_silence() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = Arc::new(over(&target, &time));
    time.advance(Duration::from_secs(10));
    let session = target.session();
    session.fall_silent();
    for _ in 0..100 {
        session.heard.lock().unwrap().bytes += 10_000;
        give_up(&connection, &time, 250 * MS);
    }
    assert_eq!(target.sessions(), 1, "25 s for one answer");
    session.answers.open();
    session.life.open();
    assert_eq!(ask(&connection, &time), Ok(Reply::ok()));
    session.fall_silent();
    time.advance(2 * Duration::from_secs(1));
    assert_eq!(target.sessions(), 2, "it has stopped");
}

#[test]
fn answers_that_are_those_of_others_are_no_signs_of_life() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = Arc::new(over(&target, &time));
    time.advance(Duration::from_secs(10));
    let session = target.session();
    session.fall_silent();
    // One answer was lost: whatever comes goes to who has left.
    for _ in 0..8 {
        let mut heard = session.heard.lock().unwrap();
        heard.bytes += 10;
        heard.answers += 1;
        drop(heard);
        give_up(&connection, &time, 250 * MS);
    }
    assert!(target.sessions() > 1);
}

#[test]
fn a_heartbeat_behind_answers_that_are_those_of_others_is_not_waited_for() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let _connection = over(&target, &time);
    time.advance(Duration::from_secs(10));
    let session = target.session();
    session.life.close();
    for _ in 0..20 {
        let mut heard = session.heard.lock().unwrap();
        heard.bytes += 10;
        heard.answers += 1;
        drop(heard);
        time.advance(100 * MS);
    }
    assert_eq!(target.sessions(), 2);
}

#[test]
fn callers_who_leave_early_are_no_timeouts() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = Arc::new(over(&target, &time));
    time.advance(Duration::from_secs(10));
    target.session().answers.close();
    for _ in 0..1000 {
        give_up(&connection, &time, Duration::ZERO);
    }
    assert_eq!(connection.health().under_way, 1000);
    target.session().answers.open();
    time.advance(Duration::from_secs(5));
    assert_eq!(target.sessions(), 1);
    assert_eq!(
        connection.health().under_way,
        0,
        "the heartbeat came through"
    );
}

#[test]
fn a_slow_answer_between_two_timeouts_keeps_the_link() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = Arc::new(over(&target, &time));
    let session = target.session();
    for _ in 0..20 {
        session.answers.close();
        give_up(&connection, &time, 200 * MS);
        give_up(&connection, &time, 200 * MS);
        session.answers.open();
        assert_eq!(ask(&connection, &time), Ok(Reply::ok()));
    }
    assert_eq!(target.sessions(), 1);
}

#[test]
fn bug_g1_answers_out_of_step_replace_the_link() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = over(&target, &time);
    time.advance(2 * Duration::from_secs(1));
    connection.distrust();
    assert_eq!(connection.health().counts.distrusted, 1);
    time.run_until_idle();
    assert_eq!(target.sessions(), 2);
    assert_eq!(replaced(&connection, ConnectErrorKind::Garbage), 1);
}

#[test]
fn bug_g9_a_server_that_takes_no_writes_any_more_is_left() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = over(&target, &time);
    time.advance(300 * MS);
    let refused = Reply::error("READONLY", "You can't write against a read only replica.");
    target.session().say(refused.clone());
    assert_eq!(ask(&connection, &time), Ok(refused), "it is its own affair");
    assert!(matches!(connection.health().state, State::Connected { .. }));
    time.advance(Duration::from_secs(1));
    assert_eq!(target.sessions(), 2);
    assert_eq!(ask(&connection, &time), Ok(Reply::ok()));
    assert_eq!(replaced(&connection, ConnectErrorKind::ReadOnly), 1);
}

#[test]
fn a_script_that_an_older_server_refuses_for_being_a_replica_counts_as_well() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = over(&target, &time);
    let text = "Error running script (call to f_0): @user_script:1: -READONLY You can't write";
    target.session().say(Reply::error("ERR", text));
    ask(&connection, &time).unwrap();
    time.advance(Duration::from_secs(1));
    assert_eq!(target.sessions(), 2);
}

#[test]
fn a_server_that_never_takes_writes_is_left_ever_more_rarely_and_read_from_all_the_time() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = over(&target, &time);
    let mut unavailable = 0;
    for _ in 0..600 {
        target.session().say(Reply::error("READONLY", ""));
        unavailable += usize::from(ask(&connection, &time).is_err());
        time.advance(Duration::from_secs(1));
    }
    assert_eq!(unavailable, 0);
    let sessions = target.sessions();
    assert!((10..20).contains(&sessions), "{sessions} in ten minutes");
}

#[test]
fn a_server_that_loads_its_data_is_there_later() {
    for code in ["LOADING", "MASTERDOWN", "NOAUTH"] {
        let time = Virtual::new();
        let target = Scripted::new(&time);
        let connection = over(&target, &time);
        time.advance(2 * Duration::from_secs(1));
        target.plan(&vec![Plan::Fails(ConnectError::refused(code)); 3]);
        target.session().say(Reply::error(code, "Redis is loading"));
        let asked = ask(&connection, &time);
        assert_eq!(
            asked,
            Err(Certainty::NotSent),
            "{code}: nothing of it has run"
        );
        time.run_until_idle();
        assert_eq!(connection.health().state.name(), "down", "{code}");
        time.advance(Duration::from_secs(1));
        assert_eq!(ask(&connection, &time), Ok(Reply::ok()), "{code}");
    }
}

#[test]
fn refusals_of_single_requests_are_no_reason_to_leave() {
    for code in [
        "OOM",
        "NOPERM",
        "WRONGTYPE",
        "ERR",
        "MISCONF",
        "BUSY",
        "CROSSSLOT",
    ] {
        let time = Virtual::new();
        let target = Scripted::new(&time);
        let connection = over(&target, &time);
        target.session().say(Reply::error(code, "no"));
        assert_eq!(ask(&connection, &time), Ok(Reply::error(code, "no")));
        time.advance(Duration::from_secs(10));
        assert_eq!(target.sessions(), 1, "{code}");
    }
}
