//! Calls, and the check of what they were given.

use std::collections::BTreeMap;
use std::time::Duration;

use larder_core::Moment;
use larder_engine::{Outcome, Stale};

use super::{History, Life, Stamp, State};
use crate::plan::Setup;
use crate::value::Id;
use crate::violation::{Rule, Violation};

#[derive(Default)]
pub(super) struct Calls {
    open: BTreeMap<usize, (Life, String)>,
    last: usize,
    /// The latest moment at which nodes were paused or the clock jumped: who waited through it is
    /// not judged for its time.
    disturbed: Option<Moment>,
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
    Absent,
    /// A look that found nothing, or a change.
    Nothing,
    Failed(String),
}

impl History {
    /// A call begins.
    pub(crate) fn asks(&self, life: Life, text: impl Fn() -> String) -> Asked {
        let asked = self.with(|state, start| {
            state.calls.last += 1;
            let number = state.calls.last;
            state.calls.open.insert(number, (life, text()));
            Asked {
                number,
                life,
                start,
                raises: state.loads.begins(life),
            }
        });
        self.tell(|| format!("node {life} call {}: {}", asked.number, text()));
        asked
    }

    /// A call was dropped, by its caller or with its node.
    pub(crate) fn left(&self, asked: Asked) {
        self.lock().calls.open.remove(&asked.number);
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
            // Of several keys each was looked at in its own time.
            let looked = if given.len() > 1 { asked.start } else { end };
            let broken = given.iter().find_map(|given| {
                let outcome = given.outcome.as_ref().map_or("none", Outcome::detail);
                *state.calls.outcomes.entry(outcome).or_default() += 1;
                state
                    .old(asked, given, setup.bound())
                    .or_else(|| state.expired(asked, given, setup, looked))
            });
            broken.or_else(|| state.late(asked, setup.patience(), end))
        });
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
        open.map(|(number, (life, text))| format!("call {number} at node {life}: {text}"))
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

impl State {
    /// Checks an answer against the changes that were over when its call began. What was expired may
    /// be fallen back to, where a load was tried.
    fn old(&self, asked: Asked, given: &Given, bound: Duration) -> Option<Violation> {
        let (key, outcome) = (given.key, given.outcome);
        let tried =
            matches!(outcome, Some(Outcome::Stale { because, .. }) if because != Stale::Refresh);
        let over = self.changes.over(asked.life, asked.start, bound);
        let over = over.filter(|change| !(change.expires && tried));
        match &given.seen {
            Seen::Value(id) => {
                let value = self.source.value(*id).filter(|value| value.key == key);
                let Some(value) = value else {
                    let text = format!("key {key} is given value {id}");
                    return Some(Violation::new(Rule::Wrong, text));
                };
                let mut over = over.filter(|change| change.names(key, &value.tags));
                let change = over.find(|change| value.read.seq < change.bar)?;
                let text = format!(
                    "node {} is given version {} of key {key} (value {id}, read by node {}) after {}",
                    asked.life,
                    value.version,
                    value.by,
                    change.text()
                );
                Some(Violation::new(Rule::Old, text))
            }
            Seen::Absent => {
                let named = over.filter(|change| change.names(key, &[]));
                let bar = named.map(|change| change.bar).max().unwrap_or(0);
                let fine = self.source.was_absent_since(key, bar);
                let text = format!("node {} is told that key {key} is absent", asked.life);
                (!fine).then(|| Violation::new(Rule::Old, text))
            }
            Seen::Nothing | Seen::Failed(_) => None,
        }
    }

    /// Checks an answer against the time of its value: from the end of the function that gave it, or
    /// from when the far store kept it.
    fn expired(
        &self,
        asked: Asked,
        given: &Given,
        setup: &Setup,
        looked: Stamp,
    ) -> Option<Violation> {
        let outcome = given.outcome;
        let Seen::Value(id) = &given.seen else {
            return None;
        };
        let value = self.source.value(*id)?;
        let since = value.since()?.at;
        let (most, left) = match outcome {
            Some(Outcome::Near { left, .. }) => (setup.ttl, left),
            Some(Outcome::Far { left, .. }) => (setup.ttl, Some(left)),
            _ => (setup.life(), None),
        };
        // A server counts in milliseconds.
        let ends = since.after(most.min(setup.life()) + Duration::from_millis(1));
        let late = asked.start.at >= ends;
        let longer =
            left.is_some_and(|left| looked.at.after(left) > ends && !self.was_disturbed(asked));
        let text = || {
            let age = asked.start.at.since(since);
            format!(
                "node {} is given value {id} {age:?} after it was kept: {outcome:?}; at most {most:?}",
                asked.life
            )
        };
        (late || longer).then(|| Violation::new(Rule::Expired, text()))
    }

    fn late(&self, asked: Asked, patience: Duration, end: Stamp) -> Option<Violation> {
        let took = end.at.since(asked.start.at);
        let late = took > patience && !self.was_disturbed(asked);
        let text = || format!("call {} at node {} took {took:?}", asked.number, asked.life);
        late.then(|| Violation::new(Rule::Waiting, text()))
    }

    fn was_disturbed(&self, asked: Asked) -> bool {
        self.calls.disturbed.is_some_and(|at| at >= asked.start.at)
    }
}
