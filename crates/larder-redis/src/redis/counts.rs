//! What the store counts.

use std::sync::atomic::{AtomicU64, Ordering};

/// What a [`Redis`](super::Redis) has counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Reads that found something under a key of ours that is not ours: another type, no container, a
    /// value without an end. To the reader nothing is there; the next load overwrites it.
    pub foreign: u64,
    /// Loads that got no ticket because the server took no token (it is full, a replica, or does not
    /// permit it). They run, and nothing of them is stored.
    pub without_ticket: u64,
    /// Operations that failed because an answer was of a kind that its request never has.
    pub out_of_step: u64,
    /// Changes that were done, and that too few replicas were known to have in time: where
    /// [`wait_for_replicas`](super::Redis::wait_for_replicas) asked for it.
    pub unreplicated: u64,
    /// Writes to entries that the server has told of and that were this node's, in caches with
    /// [foreign writers](larder_core::far::Space::has_foreign_writers).
    pub own_writes: u64,
    /// Other writes to entries that it has told of, each of which the near tier gives way to: of other
    /// programs, of other nodes, and what has ended or was evicted.
    pub touched: u64,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    foreign: AtomicU64,
    without_ticket: AtomicU64,
    out_of_step: AtomicU64,
    unreplicated: AtomicU64,
    own_writes: AtomicU64,
    touched: AtomicU64,
}

impl Counters {
    pub(super) fn foreign(&self) {
        self.foreign.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn without_ticket(&self) {
        self.without_ticket.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn out_of_step(&self) {
        self.out_of_step.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn unreplicated(&self) {
        self.unreplicated.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn own_write(&self) {
        self.own_writes.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn touched(&self) {
        self.touched.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> Counts {
        Counts {
            foreign: self.foreign.load(Ordering::Relaxed),
            without_ticket: self.without_ticket.load(Ordering::Relaxed),
            out_of_step: self.out_of_step.load(Ordering::Relaxed),
            unreplicated: self.unreplicated.load(Ordering::Relaxed),
            own_writes: self.own_writes.load(Ordering::Relaxed),
            touched: self.touched.load(Ordering::Relaxed),
        }
    }
}
