//! Changes: called, returned, carried out in the far store, heard by the other nodes.

use std::collections::BTreeMap;

use larder_core::Moment;

use super::{History, Life, Seq, Stamp};
use crate::plan::Tag;

/// What a change names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Item {
    Key(u64),
    Tag(Tag),
    All,
}

impl Item {
    /// Whether it names all that `other` does.
    fn covers(self, other: Self) -> bool {
        self == Self::All || self == other
    }
}

/// What the far store carried out for a node: what it names, and the source's moment before which
/// nothing survives it. A put leaves its own value, so it undoes nothing that is newer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Effect {
    pub(crate) by: Life,
    pub(crate) item: Item,
    pub(crate) until: Seq,
    /// It leaves what was there as a fallback.
    pub(crate) expires: bool,
}

/// An invalidation, an expiry, or a put of what was written at `bar`.
#[derive(Debug, Clone)]
pub(super) struct Change {
    by: Life,
    item: Item,
    called: Seq,
    /// What it names may be fallen back to.
    pub(super) expires: bool,
    /// What was read before this is not to be served once the change is over.
    pub(super) bar: Seq,
    returned: Option<Seq>,
    acknowledged: Option<Stamp>,
    heard: Vec<(Life, Seq)>,
    /// Until when a failover excuses what it undid.
    excused: Option<Moment>,
}

#[derive(Default)]
pub(super) struct Changes {
    all: Vec<Change>,
    /// By who sent a message and its number.
    published: BTreeMap<(u64, u64), (Effect, Seq)>,
    /// The life of each node's name in messages.
    speakers: BTreeMap<u64, Life>,
    /// Puts that may be carried out yet, with what each leaves.
    puts: Vec<Option<Effect>>,
    /// What is being carried out now.
    running: Vec<Effect>,
    /// Puts without a ticket, between their write and their end.
    exclusive: usize,
}

impl Changes {
    /// The changes that must be over for a call of `life` that began at `start`.
    pub(super) fn over(
        &self,
        life: Life,
        start: Stamp,
        bound: std::time::Duration,
    ) -> impl Iterator<Item = &Change> {
        self.all.iter().filter(move |change| {
            let own = change.by == life && change.returned.is_some_and(|seq| seq < start.seq);
            let heard = change.heard.iter();
            let mut heard = heard.filter(|(by, seq)| *by == life && *seq < start.seq);
            let long = change
                .acknowledged
                .is_some_and(|when| when.at.after(bound) < start.at);
            let excused = change.excused.is_some_and(|until| start.at <= until);
            (own || long || heard.next().is_some()) && !excused
        })
    }

    fn undone_by(&mut self, effect: Effect, at: Seq) -> impl Iterator<Item = &mut Change> {
        self.all.iter_mut().filter(move |change| {
            change.by == effect.by
                && effect.item.covers(change.item)
                && change.called < at
                && change.bar <= effect.until
                && (change.expires || !effect.expires)
        })
    }
}

impl Change {
    /// Whether it names a value of `key` with these tags.
    pub(super) fn names(&self, key: u64, tags: &[Tag]) -> bool {
        match self.item {
            Item::Key(named) => named == key,
            Item::Tag(tag) => tags.contains(&tag),
            Item::All => true,
        }
    }

    pub(super) fn text(&self) -> String {
        format!("{:?} of node {}", self.item, self.by)
    }
}

impl History {
    /// A change begins; `bar` is where the source was written, for a put.
    pub(crate) fn change(
        &self,
        by: Life,
        item: Item,
        bar: Option<Stamp>,
        expires: bool,
    ) -> Changing {
        self.opens(by);
        let number = self.with(|state, stamp| {
            state.changes.all.push(Change {
                by,
                item,
                called: stamp.seq,
                expires,
                bar: bar.unwrap_or(stamp).seq,
                returned: None,
                acknowledged: None,
                heard: Vec::new(),
                excused: None,
            });
            state.changes.all.len() - 1
        });
        Changing {
            history: self.clone(),
            by,
            number,
            returned: false,
        }
    }

    /// The far store begins to carry out something.
    pub(crate) fn carries_out(&self, effects: &[Effect]) {
        self.lock().changes.running = effects.to_vec();
    }

    /// The far store has carried it out, as a whole.
    pub(crate) fn carried_out(&self, effect: Effect) {
        self.with(|state, stamp| {
            state.changes.running.clear();
            for change in state.changes.undone_by(effect, stamp.seq) {
                change.acknowledged.get_or_insert(stamp);
            }
        });
        self.raised(effect.by);
        self.tell(|| format!("  far: {:?} of node {}", effect.item, effect.by));
    }

    /// A message was sent of an item that is being carried out now.
    pub(crate) fn published(&self, node: u64, number: u64, item: Item) {
        self.with(|state, stamp| {
            let mut running = state.changes.running.iter();
            if let Some(&effect) = running.find(|effect| effect.item == item) {
                let sent = (effect, stamp.seq);
                state
                    .changes
                    .published
                    .entry((node, number))
                    .or_insert(sent);
            }
        });
    }

    /// A node's name in messages is this life's.
    pub(crate) fn speaks(&self, node: u64, life: Life) {
        self.lock().changes.speakers.insert(node, life);
    }

    /// A put is sent: from now on it may be carried out.
    pub(crate) fn puts(&self, effect: Effect) -> usize {
        let puts = &mut self.lock().changes.puts;
        puts.push(Some(effect));
        puts.len() - 1
    }

    /// A put was carried out and answered.
    pub(crate) fn has_put(&self, put: usize) {
        self.lock().changes.puts[put] = None;
    }

    /// A message was published at a server: of a put that its node has sent, or else of a change
    /// that leaves nothing. It tells of what was called before `before`.
    pub(crate) fn overheard(&self, node: u64, number: u64, item: Item, expires: bool, before: Seq) {
        self.with(|state, stamp| {
            let changes = &mut state.changes;
            let Some(&by) = changes.speakers.get(&node) else {
                return;
            };
            let puts = changes.puts.iter().flatten();
            let puts = puts.filter(|put| put.by == by && put.item == item);
            let until = puts.map(|put| put.until).min().unwrap_or(Seq::MAX);
            let effect = Effect {
                by,
                item,
                until,
                expires,
            };
            let sent = (effect, stamp.seq.min(before));
            changes.published.entry((node, number)).or_insert(sent);
        });
    }

    /// A failover has lost what was carried out since `from`: old values may live for a while.
    pub(crate) fn failed_over(&self, from: Moment) {
        let setup = &self.0.setup;
        let until = self.0.clock.now().after(setup.forgets());
        let mut state = self.lock();
        for change in &mut state.changes.all {
            let kept = change.acknowledged.is_some_and(|stamp| stamp.at < from);
            if !kept {
                change.excused = Some(until);
                // It counts when it is carried out again.
                change.acknowledged = change.acknowledged.filter(|_| setup.requeue.is_none());
            }
        }
    }

    /// A message has reached a life; its own say nothing.
    pub(crate) fn heard(&self, by: Life, node: u64, number: u64) {
        self.with(|state, stamp| {
            let sent = state.changes.published.get(&(node, number)).copied();
            let Some((effect, sent)) = sent.filter(|(effect, _)| effect.by != by) else {
                return;
            };
            for change in state.changes.undone_by(effect, sent) {
                change.heard.push((by, stamp.seq));
            }
        });
        self.raised(by);
        self.tell(|| format!("  node {by} hears message {number}"));
    }

    /// Whether a put without a ticket is under way: nobody else may change anything then, for that
    /// is not promised.
    pub(crate) fn is_exclusive(&self) -> bool {
        self.lock().changes.exclusive > 0
    }

    /// A put without a ticket, until the result is dropped.
    pub(crate) fn exclusive(&self) -> Exclusive {
        self.lock().changes.exclusive += 1;
        Exclusive(self.clone())
    }
}

/// A change is under way; dropped, its caller has left.
pub(crate) struct Changing {
    history: History,
    by: Life,
    number: usize,
    returned: bool,
}

impl Changing {
    /// It has returned to its caller.
    pub(crate) fn returned(mut self) {
        self.returned = true;
        let number = self.number;
        self.history.with(|state, stamp| {
            state.changes.all[number].returned = Some(stamp.seq);
        });
    }
}

impl Drop for Changing {
    fn drop(&mut self) {
        self.history.closes(self.by, self.returned);
    }
}

/// A put without a ticket is under way.
pub(crate) struct Exclusive(History);

impl Drop for Exclusive {
    fn drop(&mut self) {
        self.0.lock().changes.exclusive -= 1;
    }
}
