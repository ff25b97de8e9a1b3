//! What raises what.

use std::time::Duration;

use super::*;

const SENT: Moment = Moment::from_nanos(1_000);

struct Ear {
    link: Link,
    stamps: Arc<Stamps>,
}

impl Ear {
    fn new() -> Self {
        let stamps = Arc::new(Stamps::new(64));
        let sight = Arc::new(Sight::new(Duration::from_secs(5)));
        let link = Link::new(1, Arc::clone(&stamps), sight);
        Self { link, stamps }
    }

    /// Whether `act` raised what `digest` names, and whether it raised all.
    fn raised(&self, digest: u64, act: impl FnOnce(&Link)) -> (bool, bool) {
        let ticket = self.stamps.ticket(SENT);
        act(&self.link);
        let slot = self.stamps.slot_by(digest);
        let other = self.stamps.slot_by(digest + 1);
        let current = |slot| self.stamps.is_current(slot, ticket);
        (!current(slot), !current(other))
    }

    fn message(node: u64, number: u64) -> Message {
        let change = Change::Key(7);
        Message {
            node,
            number,
            change,
        }
    }
}

#[test]
fn a_message_in_order_raises_its_key_alone() {
    let ear = Ear::new();
    ear.link.heartbeat(10, SENT);
    let told = ear.raised(7, |link| link.receive(Ear::message(2, 11)));
    assert_eq!(told, (true, false));
}

#[test]
fn an_own_message_counts_and_raises_nothing() {
    let ear = Ear::new();
    ear.link.heartbeat(10, SENT);
    let own = ear.raised(7, |link| link.receive(Ear::message(1, 11)));
    assert_eq!(own, (false, false));
    let next = ear.raised(7, |link| link.receive(Ear::message(2, 12)));
    assert_eq!(next, (true, false), "no gap after the own one");
}

#[test]
fn a_heartbeat_behind_what_was_heard_before_it_is_a_server_that_forgot() {
    let ear = Ear::new();
    ear.link.heartbeat(10, SENT);
    ear.link.receive(Ear::message(2, 11));
    // Messages that come while it is under way may be of later numbers.
    let known = ear.link.last();
    ear.link.receive(Ear::message(2, 12));
    let told = ear.raised(7, |link| link.answered(11, SENT, known));
    assert_eq!(told, (false, false));
    let known = ear.link.last();
    let told = ear.raised(7, |link| link.answered(11, SENT, known));
    assert_eq!(told, (true, true));
    assert_eq!(ear.link.last(), Some(11));
}

#[test]
fn a_gap_raises_all_and_a_doubled_or_late_message_its_key() {
    let ear = Ear::new();
    ear.link.heartbeat(10, SENT);
    let gap = ear.raised(7, |link| link.receive(Ear::message(2, 13)));
    assert_eq!(gap, (true, true));
    for late in [12, 13, 11] {
        let late = ear.raised(7, |link| link.receive(Ear::message(2, late)));
        assert_eq!(late, (true, false));
    }
}

#[test]
fn a_number_not_reached_at_the_next_heartbeat_raises_all() {
    let ear = Ear::new();
    ear.link.heartbeat(10, SENT);
    assert_eq!(
        ear.raised(7, |link| link.heartbeat(12, SENT)),
        (false, false)
    );
    assert_eq!(ear.raised(7, |link| link.heartbeat(12, SENT)), (true, true));
    assert_eq!(
        ear.raised(7, |link| link.heartbeat(12, SENT)),
        (false, false)
    );
}

#[test]
fn numbers_that_start_anew_raise_all() {
    let ear = Ear::new();
    ear.link.heartbeat(u64::MAX, SENT);
    let wrapped = ear.raised(7, |link| link.receive(Ear::message(2, 0)));
    assert_eq!(wrapped, (true, false), "a count may wrap");
    let anew = ear.raised(7, |link| link.receive(Ear::message(2, 1 << 60)));
    assert_eq!(anew, (true, true));
}

#[test]
fn a_touch_by_another_program_raises_its_key_alone_and_has_no_number() {
    let ear = Ear::new();
    ear.link.heartbeat(10, SENT);
    assert_eq!(ear.raised(7, |link| link.touched(7)), (true, false));
    let next = ear.raised(7, |link| link.receive(Ear::message(2, 11)));
    assert_eq!(next, (true, false), "no gap after it");
}

#[test]
fn a_loss_raises_all_and_so_does_the_next_heartbeat() {
    let ear = Ear::new();
    ear.link.heartbeat(10, SENT);
    assert_eq!(ear.raised(7, Link::lost), (true, true));
    assert_eq!(ear.raised(7, |link| link.heartbeat(10, SENT)), (true, true));
}

#[test]
fn a_heartbeat_ends_blindness_once_its_number_is_reached() {
    let ear = Ear::new();
    let silence = SENT.after(Duration::from_secs(60));
    let sees = || ear.link.sight.sees(SENT, silence);
    ear.link.heartbeat(10, SENT);
    ear.link.heartbeat(11, silence);
    assert!(!sees(), "message 11 is still to come");
    ear.link.receive(Ear::message(2, 11));
    assert!(sees());
}

#[test]
fn heartbeats_that_run_ahead_of_lost_messages_end_no_blindness() {
    let ear = Ear::new();
    ear.link.heartbeat(10, SENT);
    let later = SENT.after(Duration::from_secs(60));
    ear.link.heartbeat(11, later);
    let ticket = ear.stamps.ticket(SENT);
    ear.link.heartbeat(12, later);
    let slot = ear.stamps.slot_by(7);
    assert!(ear.link.sight.sees(SENT, later));
    assert!(
        !ear.stamps.is_current(slot, ticket),
        "sees, and all is raised"
    );
}
