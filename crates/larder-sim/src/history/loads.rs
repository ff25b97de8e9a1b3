//! Loads that run, and whether they may.

use std::time::Duration;

use larder_core::Moment;

use super::{Asked, History, Life};
use crate::violation::Rule;

#[derive(Default)]
pub(super) struct Loads {
    running: Vec<Load>,
    last: usize,
    /// By life: how often something was raised there, or may have been.
    raises: Vec<u64>,
    /// By life: how many of its changes are under way. Each raises at moments of its own.
    open: Vec<usize>,
    /// By life: until when a change whose caller left may raise something, unseen.
    blurred: Vec<Option<Moment>>,
}

struct Load {
    number: usize,
    life: Life,
    key: u64,
    /// Of the call that leads it, at its start: the flight is not older.
    raises: u64,
    start: Moment,
    ends: Moment,
}

impl Loads {
    pub(super) fn raises(&mut self, life: Life) -> u64 {
        if self.raises.len() <= life {
            self.raises.resize(life + 1, 0);
            self.open.resize(life + 1, 0);
            self.blurred.resize(life + 1, None);
        }
        self.raises[life]
    }

    /// As [`raises`](Self::raises), for a call that begins now: while a change is under way every
    /// call may find something raised since the one before it.
    pub(super) fn begins(&mut self, life: Life) -> u64 {
        let before = self.raises(life);
        self.raises[life] = before + u64::from(self.open[life] > 0);
        self.raises[life]
    }
}

impl History {
    /// A change of a life begins.
    pub(super) fn opens(&self, life: Life) {
        self.raised(life);
        self.lock().loads.open[life] += 1;
    }

    /// It has returned, or its caller has left: then it goes on and raises once more.
    pub(super) fn closes(&self, life: Life, returned: bool) {
        self.raised(life);
        let long = self.0.setup.far_deadline * 2;
        self.with(|state, stamp| {
            state.loads.open[life] -= 1;
            if !returned {
                state.loads.blurred[life] = Some(stamp.at.after(long));
            }
        });
    }

    /// Something was raised at a life, or may have been: a load that begins now need not join one
    /// that began before.
    pub(crate) fn raised(&self, life: Life) {
        let mut state = self.lock();
        let raises = state.loads.raises(life) + 1;
        state.loads.raises[life] = raises;
    }

    /// A load begins, until the result is dropped.
    ///
    /// Another of the key at this life may run only if something was raised between the calls that
    /// lead them, or its deadline has passed.
    pub(crate) fn load(&self, asked: Asked, key: u64) -> Running {
        self.load_within(asked, key, self.0.setup.deadline)
    }

    /// As [`load`](Self::load), of a source of elements: what it has given cannot be taken back, so a
    /// node that may be blind joins none that is older than that.
    pub(crate) fn load_of_elements(&self, asked: Asked, key: u64) -> Running {
        let setup = &self.0.setup;
        self.load_within(asked, key, setup.deadline.min(setup.blind))
    }

    fn load_within(&self, asked: Asked, key: u64, alone: Duration) -> Running {
        let Asked {
            life,
            start,
            raises,
            ..
        } = asked;
        let ends = start.at.after(alone);
        let (number, doubled) = self.with(|state, stamp| {
            let loads = &mut state.loads;
            let blurred = loads.blurred.get(life).copied().flatten();
            let doubled = loads.running.iter().any(|other| {
                let same = other.life == life && other.key == key;
                same && other.raises == raises
                    && stamp.at < other.ends
                    && blurred.is_none_or(|until| until < other.start)
            });
            loads.last += 1;
            let number = loads.last;
            loads.running.push(Load {
                number,
                life,
                key,
                raises,
                start: start.at,
                ends,
            });
            (number, doubled)
        });
        if doubled {
            let text = format!("node {life} runs two loads of key {key} at once");
            self.breaks(Rule::Doubled, text);
        }
        let history = self.clone();
        Running { history, number }
    }
}

/// A load runs.
pub(crate) struct Running {
    history: History,
    number: usize,
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut state = self.history.lock();
        let number = self.number;
        state.loads.running.retain(|load| load.number != number);
    }
}
