//! What a connection is doing, and for how long.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use hyper::StatusCode;

use crate::Limits;

/// Where in a request a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Phase {
    /// Between requests.
    Idle,
    /// Bytes of a request came, but not yet all of its head.
    Head,
    /// The head is complete, the body is being read.
    Body,
    /// The handler runs.
    Work,
    /// An answer is being written.
    Write,
    /// Some of an answer is written, and the handler has no more of it yet.
    Feed,
}

const PHASES: [Phase; 6] = [
    Phase::Idle,
    Phase::Head,
    Phase::Body,
    Phase::Work,
    Phase::Write,
    Phase::Feed,
];

/// The phase of one connection, kept by its socket and its service, judged by its task.
///
/// Time is counted in ticks of that task, so that a request costs neither a timer nor a look at the clock.
/// All of it happens in one task; the atomics only make it `Sync`.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    phase: AtomicU8,
    since: AtomicU32,
    now: AtomicU32,
    unread: AtomicBool,
    flowing: AtomicBool,
    /// Zero is none.
    refused: AtomicU16,
}

impl Watch {
    pub(crate) fn phase(&self) -> Phase {
        PHASES[usize::from(self.phase.load(Relaxed))]
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.phase.store(phase as u8, Relaxed);
        self.since.store(self.now.load(Relaxed), Relaxed);
    }

    pub(crate) fn tick(&self) {
        self.now.fetch_add(1, Relaxed);
    }

    /// An answer goes out before the request was read to its end.
    pub(crate) fn answer_early(&self) {
        self.unread.store(true, Relaxed);
    }

    /// Whether the client may still be sending what nobody will read.
    pub(crate) fn unread(&self) -> bool {
        self.unread.load(Relaxed)
    }

    /// An answer has begun whose body is still being made; or no longer.
    pub(crate) fn flow(&self, flowing: bool) {
        self.flowing.store(flowing, Relaxed);
    }

    /// Whether what has been written so far is all of an answer.
    pub(crate) fn whole(&self) -> bool {
        !self.flowing.load(Relaxed)
    }

    /// A head was refused with this status; only the first time counts.
    pub(crate) fn refuse(&self, status: StatusCode) {
        let _ = self
            .refused
            .compare_exchange(0, status.as_u16(), Relaxed, Relaxed);
    }

    /// The status with which a head was refused.
    pub(crate) fn refused(&self) -> Option<StatusCode> {
        StatusCode::from_u16(self.refused.load(Relaxed)).ok()
    }

    /// Whether the phase has outlived its limit.
    pub(crate) fn overdue(&self, limits: &Limits) -> bool {
        let limit = match self.phase() {
            Phase::Idle => limits.idle_timeout,
            Phase::Head => limits.head_timeout,
            Phase::Body => limits.body_timeout,
            Phase::Work | Phase::Feed => limits.work_timeout,
            Phase::Write => limits.write_timeout,
        };
        let ticks = self
            .now
            .load(Relaxed)
            .wrapping_sub(self.since.load(Relaxed));
        // The phase may have begun just before the first of these ticks.
        let at_least: Duration = limits.tick.saturating_mul(ticks.saturating_sub(1));
        ticks > 0 && at_least >= limit
    }
}
