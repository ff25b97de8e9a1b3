//! Sources that are to be left alone, because a load has failed and there is something old.

use std::collections::HashMap;

use larder_engine::{Outcome, Stale};

use super::calls::Seen;
use super::{Asked, Given, History, Life, Stamp, State};
use crate::plan::{Setup, Tiers};
use crate::value::Id;
use crate::violation::{Rule, Violation};

/// By life and key: the old value that was given last, and the last load that failed beside it.
#[derive(Default)]
pub(super) struct Rests(HashMap<(Life, u64), Rest>);

struct Rest {
    id: Id,
    failed: Option<Stamp>,
}

impl State {
    /// Checks an old value that is given while a load is begun for it: not where one has failed a
    /// moment ago. Of a near tier alone: the value has been there all the time, for nothing could
    /// have brought it back.
    pub(super) fn pressed(
        &mut self,
        asked: Asked,
        given: &Given,
        setup: &Setup,
    ) -> Option<Violation> {
        let Some(Outcome::Stale { because, .. }) = given.outcome else {
            return None;
        };
        let Seen::Value(id) = given.seen else {
            return None;
        };
        if setup.tiers != Tiers::Near {
            return None;
        }
        let place = (asked.life, given.key);
        let rest = self
            .rests
            .0
            .entry(place)
            .or_insert(Rest { id, failed: None });
        if rest.id != id {
            *rest = Rest { id, failed: None };
        }
        let failed = rest.failed?.at;
        // What its failure has set off has been done when the clock moves on.
        let within = asked.start.at > failed && asked.start.at < failed.after(setup.old.throttle);
        let text = || {
            let ago = asked.start.at.since(failed);
            let key = given.key;
            format!(
                "node {} refreshes key {key} {ago:?} after that failed",
                asked.life
            )
        };
        (within && because == Stale::Refresh).then(|| Violation::new(Rule::Pressed, text()))
    }
}

impl History {
    /// The function of a load has failed.
    pub(crate) fn failed(&self, asked: Asked, key: u64) {
        self.with(|state, stamp| {
            if let Some(rest) = state.rests.0.get_mut(&(asked.life, key)) {
                rest.failed = Some(stamp);
            }
        });
    }

    /// The function of a load has given something, or nothing, for a key; perhaps the same value anew.
    pub(crate) fn came(&self, asked: Asked, key: u64) {
        self.lock().rests.0.remove(&(asked.life, key));
    }
}
