//! Requests as the server reads them.

use ::redis::{Cmd, Pipeline, Script as Hashed, cmd};

use crate::scripts::{ALL, Script};
use crate::wire::{Call, Request};

/// The digests that scripts are called by.
pub(super) struct Scripts(Vec<(&'static Script, String)>);

impl Scripts {
    pub(super) fn new() -> Self {
        let digest = |script: &Script| Hashed::new(script.source()).get_hash().to_owned();
        Self(
            ALL.into_iter()
                .map(|script| (script, digest(script)))
                .collect(),
        )
    }

    /// What makes all scripts known to a server.
    pub(super) fn loads(&self) -> Pipeline {
        let mut pipeline = Pipeline::with_capacity(self.0.len());
        for (script, _) in &self.0 {
            pipeline.cmd("SCRIPT").arg("LOAD").arg(script.source());
        }
        pipeline
    }

    /// Requests whose scripts the server knows.
    pub(super) fn pack<'r>(&self, batch: impl Iterator<Item = &'r Request>) -> Pipeline {
        self.packed(batch, false)
    }

    /// Requests with all their scripts' text.
    pub(super) fn pack_whole<'r>(&self, batch: impl Iterator<Item = &'r Request>) -> Pipeline {
        self.packed(batch, true)
    }

    fn packed<'r>(&self, batch: impl Iterator<Item = &'r Request>, whole: bool) -> Pipeline {
        let mut pipeline = Pipeline::new();
        for request in batch {
            pipeline.add_command(self.packed_one(request.call(), whole));
        }
        pipeline
    }

    fn packed_one(&self, call: &Call, whole: bool) -> Cmd {
        match call {
            Call::Command { name, args } => {
                let mut packed = cmd(name);
                for arg in args {
                    packed.arg(&arg[..]);
                }
                packed
            }
            Call::Script { script, keys, args } => {
                let digest = self.digest(script).filter(|_| !whole);
                let mut packed = match digest {
                    Some(digest) => cmd("EVALSHA").arg(digest).take(),
                    None => cmd("EVAL").arg(script.source()).take(),
                };
                packed.arg(keys.len());
                for arg in keys.iter().chain(args) {
                    packed.arg(&arg[..]);
                }
                packed
            }
        }
    }

    fn digest(&self, script: &Script) -> Option<&str> {
        let known = self
            .0
            .iter()
            .find(|(known, _)| std::ptr::eq(*known, script));
        known.map(|(_, digest)| &digest[..])
    }
}
