//! What is published.

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use larder_kit::Virtual;
use larder_redis::{ConnectErrorKind, Connection, Ear, Wire};

use crate::ears::Listener;
use crate::target::{Plan, Scripted};
use crate::{MS, over};

pub(crate) fn listen(connection: &Connection, channel: &'static str) -> Arc<Listener> {
    let listener = Arc::new(Listener::default());
    let ear: Weak<Listener> = Arc::downgrade(&listener);
    connection.subscribe(channel.into(), ear as Weak<dyn Ear>);
    listener
}

#[test]
fn nothing_is_listened_to_before_somebody_wants_to_hear() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = over(&target, &time);
    time.advance(Duration::from_secs(10));
    assert!(target.listened().is_empty() && !connection.health().hearing);
    let listener = listen(&connection, "one");
    time.run_until_idle();
    assert_eq!(listener.take(), ["ready"]);
    assert!(connection.health().hearing);
}

#[test]
fn an_ear_is_ready_when_the_server_has_acknowledged_and_hears_its_channel_alone() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = over(&target, &time);
    let one = listen(&connection, "one");
    time.run_until_idle();
    one.take();
    target.heard().acknowledges.close();
    let two = listen(&connection, "two");
    time.run_until_idle();
    assert!(target.heard().publish("one", "1"));
    time.run_until_idle();
    assert_eq!((one.take(), two.take()), (vec!["1".to_owned()], vec![]));
    target.heard().acknowledges.open();
    time.run_until_idle();
    assert_eq!(two.take(), ["ready"]);
    assert!(target.heard().publish("two", "2"));
    time.run_until_idle();
    assert_eq!((one.take(), two.take()), (vec![], vec!["2".to_owned()]));
}

/// Panics whatever it is told.
struct Panics;

impl Ear for Panics {
    fn message(&self, _: Bytes) {
        panic!("a message");
    }

    fn lost(&self) {
        panic!("a loss");
    }

    fn ready(&self) {
        panic!("ready");
    }
}

#[test]
fn an_ear_that_panics_takes_nothing_from_the_others() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = over(&target, &time);
    let panics = Arc::new(Panics);
    let ear: Weak<Panics> = Arc::downgrade(&panics);
    connection.subscribe("one".into(), ear);
    let listener = listen(&connection, "one");
    time.advance(Duration::from_secs(10));
    assert_eq!(listener.take(), ["ready"]);
    assert!(target.heard().publish("one", "1"));
    time.run_until_idle();
    assert_eq!(listener.take(), ["1"]);
    target.heard().cut();
    time.advance(Duration::from_secs(2));
    assert_eq!(listener.take(), ["lost", "ready"]);
}

#[test]
fn bug_i1_a_subscription_is_made_again_after_a_break_and_two_failed_attempts() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = over(&target, &time);
    let ears = [listen(&connection, "one"), listen(&connection, "two")];
    time.advance(Duration::from_secs(10));
    assert!(ears.iter().all(|ear| ear.take() == ["ready"]));
    target.plan_listens(&[Plan::fails(ConnectErrorKind::Refused), Plan::Hangs]);
    target.heard().cut();
    time.run_until_idle();
    assert!(ears.iter().all(|ear| ear.take() == ["lost"]), "at once");
    assert!(!connection.health().hearing);
    time.advance(2 * Duration::from_secs(1));
    assert!(ears.iter().all(|ear| ear.take() == ["ready"]));
    assert_eq!(target.heard().channels(), ["one", "two"]);
    let counts = connection.health().counts;
    assert_eq!((counts.listening, counts.connected), (2, 1));
    assert_eq!(counts.failed[&ConnectErrorKind::Silent], 1);
}

#[test]
fn a_break_alone_is_healed_within_a_moment() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = over(&target, &time);
    let ear = listen(&connection, "one");
    time.advance(Duration::from_secs(10));
    target.heard().cut();
    time.advance(50 * MS);
    assert_eq!(ear.take(), ["ready", "lost", "ready"]);
}

#[test]
fn a_break_after_many_failures_and_a_long_time_is_healed_as_soon() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    target.plan_listens(&vec![Plan::fails(ConnectErrorKind::Refused); 12]);
    let connection = over(&target, &time);
    let ear = listen(&connection, "one");
    time.advance(Duration::from_secs(60));
    target.heard().cut();
    time.advance(50 * MS);
    assert_eq!(ear.take(), ["ready", "lost", "ready"]);
}

#[test]
fn a_link_that_hears_nothing_any_more_is_noticed_by_its_heartbeat() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = over(&target, &time);
    let ear = listen(&connection, "one");
    time.advance(Duration::from_secs(5));
    ear.take();
    target.heard().life.close();
    time.advance(1999 * MS);
    assert!(ear.take().is_empty());
    time.advance(MS);
    assert_eq!(ear.take(), ["lost"]);
    time.advance(50 * MS);
    assert_eq!(ear.take(), ["ready"]);
    let counts = connection.health().counts;
    assert_eq!(counts.replaced[&ConnectErrorKind::Silent], 1);
}

#[test]
fn ears_that_are_gone_are_not_subscribed_for_again() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = over(&target, &time);
    let kept = listen(&connection, "kept");
    drop(listen(&connection, "gone"));
    time.advance(Duration::from_secs(5));
    target.heard().cut();
    time.advance(Duration::from_secs(1));
    assert_eq!(target.heard().channels(), ["kept"]);
    assert_eq!(kept.take().last().unwrap(), "ready");
}
