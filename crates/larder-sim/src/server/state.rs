//! What a server is made of.

use bytes::Bytes;

use super::keyspace::{Kept, Keyspace};
use super::replica::Replica;

/// What a server is made of.
#[derive(Debug)]
pub(super) struct State {
    pub(super) keys: Keyspace,
    pub(super) replica: Replica,
    pub(super) full: bool,
    pub(super) read_only: bool,
    pub(super) cluster: bool,
    /// How far the server's clock is ahead of the runtime's, in milliseconds.
    pub(super) ahead: i64,
}

impl State {
    pub(super) fn new(cluster: bool) -> Self {
        Self {
            keys: Keyspace::default(),
            replica: Replica::of(Keyspace::default()),
            full: false,
            read_only: false,
            cluster,
            ahead: 0,
        }
    }

    pub(super) fn write(&mut self, now: u64, name: &Bytes, kept: Option<Kept>) {
        self.replica.note(now, name, kept.as_ref());
        self.keys.set(name, kept);
    }
}
