//! What has come from a server.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How much has come over a connection since its handshake, and gone out where it had to wait.
///
/// While many bytes move and no answer is complete, a large one is under way, or a large request: that
/// is no silence. What goes out at once tells nothing: the system takes it, whoever is at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing more to it")]
pub struct Heard {
    /// Bytes that have come, and bytes that went out after the system had taken no more for a while.
    pub bytes: u64,
    /// Answers that are complete.
    pub answers: u64,
}

/// Less of one answer, in the time that a server may be silent, is no answer that goes on: after a
/// length that is not true, small answers to others pass for its bytes, and it never ends.
const LEAST: u64 = 16 << 10;

impl Heard {
    /// What has come over both of two connections.
    pub(super) const fn and(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            answers: self.answers + other.answers,
        }
    }

    /// Whether all that has moved since `before` is a part of one answer or request, and worth waiting
    /// for more.
    pub(super) const fn goes_on(self, before: Self) -> bool {
        self.bytes.saturating_sub(before.bytes) >= LEAST && self.answers == before.answers
    }
}

/// Counts what moves.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    bytes: AtomicU64,
    answers: AtomicU64,
    garbage: AtomicBool,
}

impl Ledger {
    pub(super) fn add(&self, bytes: usize, answers: u64) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        self.answers.fetch_add(answers, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> Heard {
        Heard {
            bytes: self.bytes.load(Ordering::Relaxed),
            answers: self.answers.load(Ordering::Relaxed),
        }
    }

    /// Something came that is no answer.
    pub(super) fn garbage(&self) {
        self.garbage.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_garbage(&self) -> bool {
        self.garbage.load(Ordering::Relaxed)
    }
}
