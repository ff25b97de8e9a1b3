//! One request while it runs.

use bytes::Bytes;

use super::keyspace::{Data, Kept};
use super::refusal::{FULL, READ_ONLY, Refusal, WRONG_TYPE};
use super::slot::master as master_of;
use super::state::State;

/// One request while it runs: nothing else runs meanwhile and its clock stands still.
pub(super) struct Turn<'a> {
    pub(super) state: &'a mut State,
    /// The server's clock in milliseconds.
    pub(super) now: u64,
    /// The master that is asked, where a request names one.
    pub(super) master: Option<usize>,
    /// Whether a command that writes was run. A full server lets a script go on then: it could not
    /// undo what was done.
    wrote: bool,
    /// What it published, with the channel.
    pub(super) published: Vec<(Bytes, Bytes)>,
}

impl<'a> Turn<'a> {
    pub(super) const fn new(state: &'a mut State, now: u64) -> Self {
        Self {
            state,
            now,
            master: None,
            wrote: false,
            published: Vec::new(),
        }
    }

    pub(super) fn find(&self, name: &[u8]) -> Option<&Kept> {
        self.state.keys.find(name, self.now)
    }

    /// The text under a name.
    pub(super) fn text(&self, name: &[u8]) -> Result<Option<Bytes>, Refusal> {
        match self.find(name).map(|kept| &kept.data) {
            None => Ok(None),
            Some(Data::Text(text)) => Ok(Some(text.clone())),
            Some(Data::Foreign) => Err(WRONG_TYPE),
        }
    }

    /// Says whether a command that writes may run; `grows` is whether it may take memory. Where it
    /// may it counts as run, though it may find nothing to do.
    pub(super) fn may_write(&mut self, grows: bool) -> Result<(), Refusal> {
        if self.state.read_only {
            return Err(READ_ONLY);
        }
        if grows && self.state.full && !self.wrote {
            return Err(FULL);
        }
        self.wrote = true;
        Ok(())
    }

    /// Whether the master that is asked holds this name.
    pub(super) fn asks(&self, name: &[u8]) -> bool {
        let master = self.master.filter(|_| self.state.cluster);
        master.is_none_or(|asked| asked == master_of(name))
    }

    /// Writes: the only way to the keys.
    pub(super) fn write(&mut self, name: &Bytes, kept: Option<Kept>) {
        self.state.write(self.now, name, kept);
    }
}
