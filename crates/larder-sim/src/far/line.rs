//! What a life's connections do.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fastrand::Rng;
use larder_core::Runtime;
use larder_kit::{Fault, Virtual};

use crate::Profile;
use crate::history::{History, Life};
use crate::plan::{Kind, Plan, Wire};
use crate::process::Process;

/// What a life's connections do: the same for commands and messages.
pub(crate) struct Line {
    pub(crate) time: Virtual,
    pub(crate) process: Process,
    pub(crate) history: History,
    pub(crate) life: Life,
    /// Whether nothing goes wrong in the whole run.
    pub(crate) calm: bool,
    /// Whether wakes are waited for.
    pub(super) leases: bool,
    state: Mutex<State>,
}

struct State {
    wire: Wire,
    random: Rng,
    cut: bool,
    deaf: bool,
    beats: u64,
}

/// What becomes of a command.
pub(super) struct Fate {
    pub(super) there: Duration,
    pub(super) back: Duration,
    pub(super) fault: Option<Fault>,
    /// For one that is carried out late: by how much.
    pub(super) late: Duration,
    /// Whether a failure is noticed before the caller's deadline.
    pub(super) told: bool,
}

impl Line {
    pub(crate) fn new(
        time: &Virtual,
        process: &Process,
        history: &History,
        life: Life,
        plan: &Plan,
    ) -> Arc<Self> {
        // Of a network, what goes wrong is the network's.
        let wire = match plan.setup.store {
            Kind::Shelf => plan.wire.clone(),
            Kind::Redis | Kind::Cluster => Wire::default(),
        };
        Arc::new(Self {
            time: time.clone(),
            process: process.clone(),
            history: history.clone(),
            life,
            calm: plan.profile == Profile::Calm,
            leases: plan.setup.lease.is_some(),
            state: Mutex::new(State {
                wire,
                random: Rng::with_seed(time.random()),
                cut: false,
                deaf: false,
                beats: 0,
            }),
        })
    }

    /// No command reaches the store, or all do again.
    pub(crate) fn cut(&self, cut: bool) {
        self.lock().cut = cut;
    }

    pub(super) fn set_deaf(&self, deaf: bool) {
        self.lock().deaf = deaf;
    }

    /// From now on nothing goes wrong.
    pub(crate) fn heal(&self) {
        let mut state = self.lock();
        (state.cut, state.deaf) = (false, false);
        state.wire = Wire {
            delay: state.wire.delay,
            message_delay: state.wire.message_delay,
            ..Wire::default()
        };
    }

    /// A heartbeat has come. It raises all if it is the first, or not what was expected: where
    /// something may go wrong, any may.
    pub(super) fn beats(&self) {
        let mut state = self.lock();
        state.beats += 1;
        let expected = self.calm && state.beats > 1;
        drop(state);
        if !expected {
            self.history.raised(self.life);
        }
    }

    /// The node is told that messages may be lost: that raises all, and the next heartbeat is the
    /// first again.
    pub(super) fn loses(&self) {
        self.lock().beats = 0;
        self.history.raised(self.life);
    }

    pub(super) fn command(&self) -> Fate {
        let mut state = self.lock();
        let State {
            wire, random, cut, ..
        } = &mut *state;
        let mut at = random.u32(..1_000);
        let mut hit = |share: u32| {
            let hit = at < share;
            at = at.saturating_sub(share);
            hit && share > 0
        };
        let slow = hit(wire.slow);
        let fault = if *cut || hit(wire.not_sent) {
            Some(Fault::NotSent)
        } else if hit(wire.lost) {
            Some(Fault::Lost)
        } else if hit(wire.unanswered) {
            Some(Fault::Done)
        } else {
            hit(wire.late).then_some(Fault::Late)
        };
        let back = upto(random, wire.delay);
        Fate {
            there: upto(random, wire.delay),
            back: if slow {
                Duration::from_secs(3_600)
            } else {
                back
            },
            fault,
            late: upto(random, wire.lateness),
            told: random.bool(),
        }
    }

    /// When each copy of a message arrives.
    pub(super) fn message(&self) -> Vec<Duration> {
        let mut state = self.lock();
        let State {
            wire, random, deaf, ..
        } = &mut *state;
        if *deaf || random.u32(..1_000) < wire.message_lost {
            return Vec::new();
        }
        let doubled = random.u32(..1_000) < wire.message_doubled;
        let copies = 1 + usize::from(doubled);
        (0..copies)
            .map(|_| upto(random, wire.message_delay))
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Up to `most`, in whole milliseconds.
fn upto(random: &mut Rng, most: Duration) -> Duration {
    let most = u64::try_from(most.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(random.u64(..=most))
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line")
            .field("life", &self.life)
            .finish_non_exhaustive()
    }
}
