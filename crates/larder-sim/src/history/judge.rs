//! What an answer is checked for.

use std::time::Duration;

use larder_engine::{Outcome, Stale};

use super::calls::{Asked, Given, Seen};
use super::{Stamp, State};
use crate::plan::Setup;
use crate::value::Id;
use crate::violation::{Rule, Violation};

impl State {
    /// What an answer breaks, if anything.
    pub(super) fn judge(
        &self,
        asked: Asked,
        given: &Given,
        setup: &Setup,
        looked: Stamp,
    ) -> Option<Violation> {
        self.old(asked, given, setup.bound())
            .or_else(|| self.unasked(asked, given, setup))
            .or_else(|| self.expired(asked, given, setup, looked))
            .or_else(|| self.idle(asked, given, setup))
    }

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
            Seen::Torn(id) => {
                let text = format!("node {} is given a part of value {id}", asked.life);
                Some(Violation::new(Rule::Wrong, text))
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

    /// Checks an answer against what its call, and the calls before it, were to do: not to look, not
    /// to keep.
    fn unasked(&self, asked: Asked, given: &Given, setup: &Setup) -> Option<Violation> {
        let (key, start) = (given.key, asked.start);
        let unlooked = !asked.mode.looks();
        let text = match &given.seen {
            Seen::Absent if unlooked && !self.source.was_absent_since(key, start.seq) => {
                format!("an old absence of key {key}")
            }
            Seen::Value(id) => {
                let value = self.source.value(*id)?;
                let kept = match given.outcome {
                    Some(Outcome::Near { .. } | Outcome::Far { .. } | Outcome::Stale { .. }) => {
                        true
                    }
                    // Else it has joined the load, which ends with its deadline.
                    _ => {
                        (value.ended).is_some_and(|ended| start.at > ended.at.after(setup.deadline))
                    }
                };
                if unlooked && value.read.seq < start.seq {
                    format!("value {id}, which was there")
                } else if value.unstored && kept {
                    format!("value {id}, which was not to be kept")
                } else {
                    return None;
                }
            }
            _ => return None,
        };
        let text = format!("node {} is given {text}: {:?}", asked.life, given.outcome);
        Some(Violation::new(Rule::Unasked, text))
    }

    /// Checks an answer of the near tier against the last use of its key at the node.
    fn idle(&self, asked: Asked, given: &Given, setup: &Setup) -> Option<Violation> {
        let idle = setup.old.idle?;
        let used = self.used.last(asked.life, given.key)?;
        let near = matches!(given.outcome, Some(Outcome::Near { .. }));
        let late = near
            && asked.start.at >= used.after(idle)
            && !self.is_in_use(asked.life, given.key, setup.keys);
        let text = || format!("node {} is given what idled since {used:?}", asked.life);
        late.then(|| Violation::new(Rule::Expired, text()))
    }

    /// What breaks a promise in what a load is offered as the old value.
    pub(super) fn offer(
        &self,
        asked: Asked,
        (key, id): (u64, Id),
        validator: Option<&[u8]>,
        setup: &Setup,
    ) -> Option<Violation> {
        let given = Given {
            key,
            seen: Seen::Value(id),
            outcome: None,
        };
        let over = self.changes.over(asked.life, asked.start, setup.bound());
        let value = self.source.value(id)?;
        let mut over = over.filter(|change| !change.expires && change.names(key, &value.tags));
        if over.any(|change| value.read.seq < change.bar) {
            let text = format!("node {}: value {id} is offered again", asked.life);
            return Some(Violation::new(Rule::Old, text));
        }
        let other =
            validator.is_some_and(|said| said != crate::value::validator(key, value.version));
        if other || !asked.mode.looks() {
            let text = format!(
                "node {}: value {id} is offered with {validator:?}",
                asked.life
            );
            return Some(Violation::new(Rule::Unasked, text));
        }
        self.expired(asked, &given, setup, asked.start)
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
            Some(Outcome::Near { left, .. }) => (value.ttl(setup), left),
            Some(Outcome::Far { left, .. }) => (value.ttl(setup), Some(left)),
            _ => (value.life(setup), None),
        };
        // A server counts in milliseconds.
        let ends = since.after(most.min(value.life(setup)) + Duration::from_millis(1));
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

    pub(super) fn late(&self, asked: Asked, patience: Duration, end: Stamp) -> Option<Violation> {
        let took = end.at.since(asked.start.at);
        let late = took > patience && !self.was_disturbed(asked);
        let text = || format!("call {} at node {} took {took:?}", asked.number, asked.life);
        late.then(|| Violation::new(Rule::Waiting, text()))
    }

    fn was_disturbed(&self, asked: Asked) -> bool {
        self.calls.disturbed.is_some_and(|at| at >= asked.start.at)
    }
}
