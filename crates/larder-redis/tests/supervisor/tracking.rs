//! What is written, and who hears of it.

use std::sync::{Arc, Weak};
use std::time::Duration;

use larder_kit::Virtual;
use larder_redis::{Connection, Ear, Published, Wire};

use crate::ears::Listener;
use crate::target::Scripted;
use crate::{MS, over};

fn track(connection: &Connection, prefix: &'static str) -> Arc<Listener> {
    let listener = Arc::new(Listener::default());
    let ear: Weak<Listener> = Arc::downgrade(&listener);
    connection.track(prefix.into(), ear as Weak<dyn Ear>);
    listener
}

#[test]
fn an_ear_hears_of_writes_to_what_begins_with_its_prefix_and_of_flushes() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = over(&target, &time);
    let [one, two] = ["one:", "two:"].map(|prefix| track(&connection, prefix));
    time.run_until_idle();
    assert_eq!(
        (one.take(), two.take()),
        (vec!["ready".to_owned()], vec!["ready".to_owned()])
    );
    for name in ["one:5", "two:6", "three:7"] {
        target.heard().tell(Published::Written(name.into()));
    }
    time.run_until_idle();
    assert_eq!(
        (one.take(), two.take()),
        (vec!["one:5".to_owned()], vec!["two:6".to_owned()])
    );
    target.heard().tell(Published::Flushed);
    time.run_until_idle();
    assert_eq!(one.take(), ["lost", "ready"]);
    assert_eq!(two.take(), ["lost", "ready"]);
}

#[test]
fn a_prefix_is_asked_for_once_on_each_connection_and_anew_after_a_break() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = over(&target, &time);
    let one = track(&connection, "one:");
    time.run_until_idle();
    let later = track(&connection, "one:");
    let two = track(&connection, "two:");
    time.advance(Duration::from_secs(10));
    assert_eq!(target.heard().prefixes(), ["one:", "two:"]);
    for ear in [&one, &later, &two] {
        assert_eq!(ear.take(), ["ready"]);
    }
    target.heard().cut();
    time.advance(50 * MS);
    for ear in [&one, &later, &two] {
        assert_eq!(ear.take(), ["lost", "ready"]);
    }
    let mut again = target.heard().prefixes();
    again.sort();
    assert_eq!(again, ["one:", "two:"]);
}

#[test]
fn a_refusal_leaves_the_connection_as_it_is_and_is_asked_again() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = over(&target, &time);
    let heard = Arc::new(Listener::default());
    let ear: Weak<Listener> = Arc::downgrade(&heard);
    connection.subscribe("channel".into(), ear as Weak<dyn Ear>);
    time.run_until_idle();
    *target.heard().refuses.lock().unwrap() = Some("NOPERM");
    let one = track(&connection, "one:");
    time.advance(Duration::from_secs(5));
    assert!(one.take().is_empty());
    assert_eq!(heard.take(), ["ready"]);
    *target.heard().refuses.lock().unwrap() = None;
    time.advance(Duration::from_secs(1));
    assert_eq!(one.take(), ["ready"]);
    assert_eq!(connection.health().counts.listening, 1);
}

#[test]
fn who_was_told_that_it_hears_is_told_of_the_loss_if_the_attempt_then_fails() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = over(&target, &time);
    let prefixes = ["a:", "b:", "c:", "d:", "e:", "f:", "g:", "h:"];
    let ears = prefixes.map(|prefix| track(&connection, prefix));
    time.run_until_idle();
    for ear in &ears {
        assert_eq!(ear.take(), ["ready"]);
    }
    target.breaks_after(Some(4));
    target.heard().cut();
    time.advance(Duration::from_secs(30));
    let told = ears.each_ref().map(|ear| ear.take());
    for said in &told {
        assert_eq!(said.last().map(String::as_str), Some("lost"), "{said:?}");
    }
    let began = told
        .iter()
        .filter(|said| said.contains(&"ready".to_owned()));
    assert!(began.count() >= 4, "so many were told before it broke");
    target.breaks_after(None);
    time.advance(Duration::from_secs(2));
    for ear in &ears {
        assert_eq!(ear.take(), ["ready"]);
    }
}
