//! Calls, and the check of what they were given.

use std::collections::BTreeMap;

use larder_core::Moment;
use larder_engine::{Mode, Outcome};

use super::{History, Life, Stamp};
use crate::plan::Step;
use crate::value::Id;

#[derive(Default)]
pub(super) struct Calls {
    pub(super) open: BTreeMap<usize, (Asked, String)>,
    last: usize,
    /// The latest moment at which nodes were paused or the clock jumped: who waited through it is
    /// not judged for its time.
    pub(super) disturbed: Option<Moment>,
    pub(super) answered: u64,
    /// How often each outcome was met, by its name.
    outcomes: BTreeMap<&'static str, u64>,
}

/// A call that began.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) number: usize,
    pub(crate) life: Life,
    pub(crate) start: Stamp,
    /// How often something was raised at the life before it.
    pub(crate) raises: u64,
    /// How far it uses the cache.
    pub(crate) mode: Mode,
    /// The keys that it is about: the first, and how many.
    keys: (u64, u64),
    /// Whether its answers were looked at some time before it ends.
    lasts: bool,
}

impl Asked {
    /// The keys that it is about, of so many that there are.
    pub(super) fn keys(&self, all: u64) -> impl Iterator<Item = u64> {
        let (first, count) = self.keys;
        (first..first + count).map(move |key| key % all)
    }
}

/// What a call gave for a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) key: u64,
    pub(crate) seen: Seen,
    pub(crate) outcome: Option<Outcome>,
}

/// What was seen of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    Value(Id),
    /// A value without some of its elements.
    Torn(Id),
    Absent,
    /// A look that found nothing, or a change.
    Nothing,
    Failed(String),
}

impl History {
    /// A call begins.
    pub(crate) fn asks(&self, life: Life, mode: Mode, step: &Step) -> Asked {
        let text = || format!("{:?} key {}", step.verb, step.key);
        let asked = self.with(|state, start| {
            state.calls.last += 1;
            let number = state.calls.last;
            let asked = Asked {
                number,
                life,
                start,
                raises: state.loads.begins(life),
                mode,
                keys: (step.key, step.verb.keys()),
                lasts: step.verb.lasts(),
            };
            state.calls.open.insert(number, (asked, text()));
            asked
        });
        self.tell(|| format!("node {life} call {}: {}", asked.number, text()));
        asked
    }

    /// A call was dropped, by its caller or with its node.
    pub(crate) fn left(&self, asked: Asked) {
        let later = self.0.setup.afterwards();
        self.with(|state, stamp| {
            state.calls.open.remove(&asked.number);
            state.uses(asked, stamp.at.after(later), self.0.setup.keys);
        });
        self.tell(|| format!("node {} call {} is left", asked.life, asked.number));
    }

    /// A call has ended: its answers are checked.
    pub(crate) fn answered(&self, asked: Asked, given: &[Given]) {
        self.tell(|| {
            let texts = given.iter().map(|given| self.text(given));
            let texts = texts.collect::<Vec<_>>().join(", ");
            format!("node {} call {} -> {texts}", asked.life, asked.number)
        });
        let setup = &self.0.setup;
        let broken = self.with(|state, end| {
            state.calls.open.remove(&asked.number);
            state.calls.answered += 1;
            let looked = if asked.lasts { asked.start } else { end };
            let broken = given.iter().find_map(|given| {
                let outcome = given.outcome.as_ref().map_or("none", Outcome::detail);
                *state.calls.outcomes.entry(outcome).or_default() += 1;
                let pressed = state.pressed(asked, given, setup);
                state.judge(asked, given, setup, looked).or(pressed)
            });
            // The load of a stream ends after it.
            let later = if asked.lasts {
                setup.afterwards()
            } else {
                setup.leaves_behind()
            };
            state.uses(asked, end.at.after(later), setup.keys);
            broken.or_else(|| state.late(asked, setup.patience(), end))
        });
        if let Some(broken) = broken {
            self.breaks(broken.rule, broken.text);
        }
    }

    /// A load is offered a value of its key as the old one, known by `validator`.
    pub(crate) fn offered(&self, asked: Asked, key: u64, id: Id, validator: Option<&[u8]>) {
        self.tell(|| format!("  offered {}", self.named(key, Some(id))));
        let setup = &self.0.setup;
        let broken = self.with(|state, _| state.offer(asked, (key, id), validator, setup));
        if let Some(broken) = broken {
            self.breaks(broken.rule, broken.text);
        }
    }

    fn text(&self, given: &Given) -> String {
        let detail = given.outcome.as_ref().map_or("", Outcome::detail);
        match &given.seen {
            Seen::Value(id) => format!("{} {detail}", self.named(given.key, Some(*id))),
            other => format!("{other:?} {detail}"),
        }
    }

    /// Nodes were paused, or the clock jumped, until now.
    pub(crate) fn disturbed(&self) {
        self.with(|state, stamp| state.calls.disturbed = Some(stamp.at));
    }

    /// The calls that have not ended.
    pub(crate) fn open_calls(&self) -> Vec<String> {
        let state = self.lock();
        let open = state.calls.open.iter();
        open.map(|(number, (asked, text))| format!("call {number} at node {}: {text}", asked.life))
            .collect()
    }

    /// How often each outcome was met.
    pub(crate) fn outcomes(&self) -> BTreeMap<&'static str, u64> {
        self.lock().calls.outcomes.clone()
    }

    /// How many calls have ended.
    pub(crate) fn answers(&self) -> u64 {
        self.lock().calls.answered
    }
}
