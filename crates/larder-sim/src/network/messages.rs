//! The connection for messages.

use std::sync::Weak;
use std::time::Duration;

use bytes::Bytes;
use larder_core::{Moment, Runtime};
use larder_kit::Gate;
use larder_redis::Ear;

use super::faults::up_to;
use super::link::{Health, Link};
use super::{lock, text};

/// The connection for messages, and who listens.
#[derive(Default)]
pub(super) struct Messages {
    health: Option<Health>,
    generation: u64,
    subscribed: Vec<Subscription>,
    /// When the last message arrives: later ones come behind it.
    last: Option<Moment>,
    lose: usize,
    gate: Option<Gate>,
}

#[derive(Clone)]
struct Subscription {
    channel: Bytes,
    ear: Weak<dyn Ear>,
    /// Whether the server knows of it.
    stands: bool,
}

/// What an ear is told.
#[derive(Clone)]
enum Note {
    Message(Bytes),
    Ready,
    Lost,
}

impl Link {
    /// Breaks the connection for messages, and tells who listens.
    pub fn cut_messages(&self) {
        self.note("messages cut");
        let ears = self.break_messages(Health::Cut);
        for ear in ears {
            self.tell(ear, Note::Lost, Moment::from_nanos(0), None);
        }
    }

    /// From now on no message arrives, and nobody is told.
    pub fn silence_messages(&self) {
        self.note("messages silent");
        drop(self.break_messages(Health::Silent));
    }

    /// Makes the connection for messages anew. Who was not told that it broke is told now.
    pub fn mend_messages(&self) {
        let was = lock(&self.0.messages).health();
        if was != Health::Cut {
            self.cut_messages();
        }
        self.note("messages mended");
        lock(&self.0.messages).health = Some(Health::Whole);
        self.resubscribe();
    }

    /// The next `count` messages are lost, and nobody is told.
    pub fn lose_messages(&self, count: usize) {
        lock(&self.0.messages).lose = count;
    }

    /// From now on messages wait at the gate returned until it is opened, and come in order then.
    #[must_use]
    pub fn hold_messages(&self) -> Gate {
        let gate = Gate::closed();
        lock(&self.0.messages).gate = Some(gate.clone());
        gate
    }

    pub(super) fn listen(&self, channel: Bytes, ear: Weak<dyn Ear>) {
        let mut messages = lock(&self.0.messages);
        messages
            .subscribed
            .retain(|other| other.ear.strong_count() > 0);
        messages.subscribed.push(Subscription {
            channel,
            ear,
            stands: false,
        });
        let whole = messages.health() == Health::Whole;
        drop(messages);
        if whole {
            self.resubscribe();
        }
    }

    /// Somebody has published something.
    pub(super) fn published(&self, channel: &Bytes, payload: &Bytes) {
        let ears = {
            let mut messages = lock(&self.0.messages);
            if messages.health() != Health::Whole {
                return;
            }
            let ears = messages.ears(|other| other.stands && other.channel == *channel);
            if !ears.is_empty() && messages.lose > 0 {
                messages.lose -= 1;
                self.note("message lost");
                return;
            }
            ears
        };
        for ear in ears {
            self.deliver(&ear, payload);
        }
    }

    fn deliver(&self, ear: &Weak<dyn Ear>, payload: &Bytes) {
        let (lost, doubled, slow) = self.0.network.draw(|random, faults| {
            let late = |random: &mut _| up_to(faults.late, random);
            let lost = faults.lost_messages.hits(random);
            let doubled = faults.doubled_messages.hits(random).then(|| late(random));
            let slow = faults.slow_messages.hits(random).then(|| late(random));
            (lost, doubled, slow)
        });
        if lost {
            return self.note("message lost");
        }
        let due = self.next_arrival();
        let gate = lock(&self.0.messages).gate.clone();
        let first = due.after(slow.unwrap_or_default());
        self.tell(
            ear.clone(),
            Note::Message(payload.clone()),
            first,
            gate.clone(),
        );
        if let Some(later) = doubled {
            let second = first.after(later);
            self.tell(ear.clone(), Note::Message(payload.clone()), second, gate);
        }
    }

    /// Asks the server for every subscription that does not stand.
    fn resubscribe(&self) {
        let due = self.next_arrival();
        let generation = lock(&self.0.messages).generation;
        let link = self.clone();
        self.later(due, async move {
            let ears = lock(&link.0.messages).stand(generation);
            for ear in ears {
                let due = link.next_arrival();
                link.tell(ear, Note::Ready, due, None);
            }
        });
    }

    fn break_messages(&self, health: Health) -> Vec<Weak<dyn Ear>> {
        let mut messages = lock(&self.0.messages);
        messages.health = Some(health);
        messages.generation += 1;
        messages.last = None;
        let ears = messages.ears(|_| true);
        for subscription in &mut messages.subscribed {
            subscription.stands = false;
        }
        ears
    }

    /// Tells an ear at a moment, unless the connection breaks before; a break is always told.
    fn tell(&self, ear: Weak<dyn Ear>, note: Note, due: Moment, gate: Option<Gate>) {
        let generation = lock(&self.0.messages).generation;
        let link = self.clone();
        self.later(due, async move {
            if let Some(gate) = gate {
                gate.wait().await;
            }
            let broken = lock(&link.0.messages).generation != generation;
            if broken && !matches!(note, Note::Lost) {
                return;
            }
            if let Some(ear) = ear.upgrade() {
                link.note(&note.text());
                note.give(&*ear);
            }
        });
    }

    fn later(&self, due: Moment, task: impl Future<Output = ()> + Send + 'static) {
        let time = self.0.network.0.time.clone();
        let wait = due.since(time.now());
        let sleep = (!wait.is_zero()).then(|| time.sleep(wait));
        let task = async move {
            if let Some(sleep) = sleep {
                sleep.await;
            }
            task.await;
        };
        Runtime::spawn(&time, Box::pin(task));
    }

    /// When the next message arrives, if it keeps its place.
    fn next_arrival(&self) -> Moment {
        let now = self.0.network.0.time.now();
        let due = now.after(self.0.network.step());
        let mut messages = lock(&self.0.messages);
        // Two that wait for one moment keep their order; two that wait for nothing keep it anyway.
        let last = messages.last.filter(|last| *last > now);
        let behind = last.map_or(now, |last| last.after(Duration::from_nanos(1)));
        let due = due.max(behind);
        messages.last = Some(due);
        due
    }
}

impl Messages {
    fn health(&self) -> Health {
        self.health.unwrap_or(Health::Whole)
    }

    fn ears(&self, which: impl Fn(&Subscription) -> bool) -> Vec<Weak<dyn Ear>> {
        let which = self.subscribed.iter().filter(|one| which(one));
        which.map(|one| one.ear.clone()).collect()
    }

    /// Lets stand what does not yet, and gives who is to hear of it.
    fn stand(&mut self, generation: u64) -> Vec<Weak<dyn Ear>> {
        if generation != self.generation {
            return Vec::new();
        }
        let ears = self.ears(|one| !one.stands);
        for one in &mut self.subscribed {
            one.stands = true;
        }
        ears
    }
}

impl Note {
    fn give(self, ear: &dyn Ear) {
        match self {
            Self::Message(payload) => ear.message(payload),
            Self::Ready => ear.ready(),
            Self::Lost => ear.lost(),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Message(payload) => format!("hears {}", text::short(payload)),
            Self::Ready => "subscribed".to_owned(),
            Self::Lost => "told that messages are lost".to_owned(),
        }
    }
}
