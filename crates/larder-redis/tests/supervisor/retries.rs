//! Attempts that fail.

use std::time::Duration;

use larder_core::Moment;
use larder_kit::Virtual;
use larder_redis::{ConnectError, ConnectErrorKind, Reply, State};

use crate::hearing::listen;
use crate::states::ask;
use crate::target::{Plan, Scripted};
use crate::{MS, over};

/// The pauses between attempts that fail at once.
fn pauses(moments: &[Moment]) -> Vec<Duration> {
    let pairs = moments.windows(2);
    pairs.map(|pair| pair[1].since(pair[0])).collect()
}

#[test]
fn a_wrong_password_is_tried_until_it_is_right() {
    let time = Virtual::new();
    let denied = Plan::Fails(ConnectError::refused("WRONGPASS"));
    let target = Scripted::planned(&time, &vec![denied; 30]);
    let connection = over(&target, &time);
    time.advance(Duration::from_secs(5));
    let health = connection.health();
    let reason = health.reason.unwrap();
    assert_eq!(reason.kind(), ConnectErrorKind::Denied);
    assert_eq!(reason.code(), Some("WRONGPASS"));
    time.advance(Duration::from_secs(60));
    assert_eq!(target.dialled().len(), 31);
    assert_eq!(ask(&connection, &time), Ok(Reply::ok()));
}

#[test]
fn every_kind_of_failure_is_tried_again() {
    use ConnectErrorKind as Kind;
    let kinds = [
        Kind::Setting,
        Kind::Refused,
        Kind::Unreachable,
        Kind::Lost,
        Kind::Silent,
        Kind::Denied,
        Kind::Unavailable,
        Kind::ReadOnly,
        Kind::NoMaster,
        Kind::Garbage,
        Kind::Tls,
        Kind::Other,
    ];
    for kind in kinds {
        let time = Virtual::new();
        let target = Scripted::planned(&time, &vec![Plan::fails(kind); 20]);
        let connection = over(&target, &time);
        time.advance(Duration::from_secs(30));
        assert_eq!(ask(&connection, &time), Ok(Reply::ok()), "{kind:?}");
        assert_eq!(connection.health().counts.failed[&kind], 20);
    }
}

#[test]
fn an_attempt_that_panics_is_one_that_has_failed() {
    let time = Virtual::new();
    let target = Scripted::planned(&time, &[Plan::Panics, Plan::Panics]);
    target.plan_listens(&[Plan::Panics]);
    let connection = over(&target, &time);
    let listener = listen(&connection, "one");
    let reason = connection.health().reason.unwrap();
    assert_eq!(reason.kind(), ConnectErrorKind::Other);
    time.advance(Duration::from_secs(5));
    assert_eq!(ask(&connection, &time), Ok(Reply::ok()));
    assert_eq!(listener.take(), ["ready"]);
    let failed = &connection.health().counts.failed;
    assert_eq!(failed[&ConnectErrorKind::Other], 3);
}

#[test]
fn an_attempt_that_hangs_is_bounded() {
    let time = Virtual::new();
    let target = Scripted::planned(&time, &[Plan::Hangs]);
    let connection = over(&target, &time);
    time.advance(999 * MS);
    assert_eq!(connection.health().state, State::Connecting);
    time.advance(MS);
    let health = connection.health();
    assert_eq!(health.state.name(), "down");
    assert_eq!(health.reason.unwrap().kind(), ConnectErrorKind::Silent);
    time.advance(50 * MS);
    assert_eq!(ask(&connection, &time), Ok(Reply::ok()));
}

#[test]
fn pauses_grow_and_stay_under_a_second() {
    let time = Virtual::new();
    let target = Scripted::planned(&time, &vec![Plan::fails(ConnectErrorKind::Refused); 12]);
    let _connection = over(&target, &time);
    time.advance(Duration::from_secs(60));
    let pauses = pauses(&target.dialled());
    for (number, pause) in pauses.iter().enumerate() {
        let longest = (50 * MS * (1 << number.min(9))).min(Duration::from_secs(1));
        assert!(
            longest / 2 <= *pause && *pause <= longest,
            "{number}: {pause:?}"
        );
    }
    assert_eq!(pauses.len(), 12);
}

#[test]
fn a_connection_that_worked_for_a_while_is_missed_from_the_shortest_pause_on() {
    let time = Virtual::new();
    let plans = vec![Plan::fails(ConnectErrorKind::Refused); 12];
    let target = Scripted::planned(&time, &plans);
    let _connection = over(&target, &time);
    time.advance(Duration::from_secs(60));
    target.plan(&plans[..1]);
    target.session().end.open();
    let lost = time.now();
    time.advance(50 * MS);
    let again = target.dialled().iter().filter(|at| **at >= lost).count();
    assert_eq!(again, 2, "at once, and after the shortest pause");
}

#[test]
fn a_fleet_does_not_return_at_the_same_moments() {
    let moments = |seed| {
        let time = Virtual::seeded(seed);
        let plans = vec![Plan::fails(ConnectErrorKind::Refused); 8];
        let target = Scripted::planned(&time, &plans);
        let _connection = over(&target, &time);
        time.advance(Duration::from_secs(30));
        target.dialled()[1..].to_vec()
    };
    let all: Vec<_> = (0..20).flat_map(moments).collect();
    let mut different = all.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), all.len());
}

#[test]
fn a_server_that_leaves_right_after_the_handshake_is_not_dialled_without_a_pause() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = over(&target, &time);
    for number in 1..=10 {
        assert_eq!(target.sessions(), number);
        target.session().end.open();
        time.run_until_idle();
        assert_eq!(target.sessions(), number, "there is a pause");
        time.advance(Duration::from_secs(1));
    }
    assert_eq!(ask(&connection, &time), Ok(Reply::ok()));
}
