//! What other nodes say: messages, gaps between them, and heartbeats.

use std::sync::{Arc, PoisonError};

use larder_core::far::{Change, Message, Sink};
use larder_core::sync::{Mutex, MutexGuard};
use larder_core::{Moment, guard};
use larder_flight::Stamps;

use super::numbers::{Due, Numbers, is_up_to};
use super::{Sight, Wakes};

/// One cache's ear at the bus. Receiving is raising; what may have been missed raises all.
pub(crate) struct Link {
    node: u64,
    stamps: Arc<Stamps>,
    sight: Arc<Sight>,
    /// Who waits for loads of other nodes, in a cache with a lease.
    wakes: Option<Arc<Wakes>>,
    /// Queues again what was acknowledged lately.
    requeue: Option<Box<dyn Fn() + Send + Sync>>,
    state: Mutex<Numbers>,
}

impl Link {
    pub(crate) fn new(node: u64, stamps: Arc<Stamps>, sight: Arc<Sight>) -> Self {
        Self {
            node,
            stamps,
            sight,
            wakes: None,
            requeue: None,
            state: Mutex::default(),
        }
    }

    pub(crate) fn waking(self, wakes: Option<Arc<Wakes>>) -> Self {
        Self { wakes, ..self }
    }

    /// Runs this at each loss.
    pub(crate) fn requeuing(self, requeue: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            requeue: Some(Box::new(requeue)),
            ..self
        }
    }

    /// The number of the last message that has come in order.
    pub(crate) fn last(&self) -> Option<u64> {
        self.lock().last
    }

    pub(crate) fn is_blind(&self, now: Moment) -> bool {
        self.sight.is_blind(now)
    }

    /// A heartbeat has been answered that was sent at `sent`, when `known` was the last number.
    ///
    /// A server that is behind what it has told has forgotten it: another has taken over.
    pub(crate) fn answered(&self, number: u64, sent: Moment, known: Option<u64>) {
        let behind = known.is_some_and(|known| number != known && is_up_to(number, known));
        if guard!(NumberBehind, behind, false) {
            self.lost();
        }
        self.heartbeat(number, sent);
    }

    /// A heartbeat that was sent at `sent` has said `number`.
    ///
    /// It ends no blindness while its number is not reached: what is missing may name what the
    /// node holds, however long the silence was before.
    fn heartbeat(&self, number: u64, sent: Moment) {
        let mut state = self.lock();
        if state.reached().is_none() {
            // Something was lost, or this is the first sign: what it was is not known.
            state.last = Some(number);
            guard!(HeartbeatRaise, self.stamps.raise_all(), 0);
        }
        state.due = Some(Due { number, sent });
        self.see(&state);
    }

    fn note(&self, number: u64) {
        let mut state = self.lock();
        let Some(last) = state.last else {
            return;
        };
        if is_up_to(number, last) {
            return;
        }
        state.last = Some(number);
        if number != last.wrapping_add(1) {
            guard!(GapRaise, self.stamps.raise_all(), 0);
        }
        self.see(&state);
    }

    fn see(&self, state: &Numbers) {
        if let Some(due) = guard!(HeartbeatReached, state.reached(), state.due) {
            self.sight.beat(due.sent);
        }
    }

    fn raise(&self, change: Change) {
        match change {
            Change::Key(digest) | Change::Tag(digest) => {
                self.stamps.raise(self.stamps.slot_by(digest));
            }
            Change::Expired(digest) => {
                self.stamps.expire(self.stamps.slot_by(digest));
            }
            Change::All => {
                self.stamps.raise_all();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Numbers> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for Link {
    /// A node's own messages only count: what they say was raised when it was done.
    fn receive(&self, message: Message) {
        if message.node != self.node {
            guard!(MessageRaise, self.raise(message.change), ());
        }
        self.note(message.number);
        if let Some(wakes) = &self.wakes {
            wakes.changed(message.change);
        }
    }

    fn wake(&self, key: u64) {
        if let Some(wakes) = &self.wakes {
            wakes.wake(key);
        }
    }

    /// It has no number, and who waits for a load of the key may look what is there.
    fn touched(&self, key: u64) {
        guard!(TouchRaise, self.raise(Change::Key(key)), ());
        self.wake(key);
    }

    fn lost(&self) {
        // Before the raise: what is decoded from here on is fenced, and what was, falls.
        if let Some(requeue) = &self.requeue {
            requeue();
        }
        guard!(LossForgets, *self.lock() = Numbers::default(), ());
        guard!(LossRaise, self.stamps.raise_all(), 0);
        if let Some(wakes) = &self.wakes {
            wakes.wake_all();
        }
    }
}

#[cfg(test)]
mod tests {
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
}
