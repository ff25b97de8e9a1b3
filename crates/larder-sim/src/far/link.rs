//! A life's commands, on their way to the store and back.

use std::fmt;
use std::future::pending;
use std::sync::{Arc, Weak};

use larder_core::far::{
    Barrier, Bus, Change, FarError, FarTicket, Guarded, Part, Put, Read, Sink, Space, Stored, Want,
};
use larder_core::{BoxFuture, Runtime};
use larder_kit::{FailingFar, FarOperation, Fault, KitError};
use larder_memory::Shelf;

use super::ears::Ears;
use super::line::{Fate, Line};
use super::recorder::Recorder;

/// A life's commands and messages.
pub(crate) struct Link {
    line: Arc<Line>,
    failing: FailingFar,
    shelf: Shelf,
    ears: Ears,
}

impl Link {
    pub(super) fn new(line: &Arc<Line>, shelf: &Shelf) -> Arc<Self> {
        let recorder = Recorder {
            far: Arc::new(shelf.clone()),
            history: line.history.clone(),
            life: line.life,
            at_once: true,
        };
        Arc::new(Self {
            line: Arc::clone(line),
            failing: FailingFar::new(Arc::new(recorder)),
            shelf: shelf.clone(),
            ears: Ears::default(),
        })
    }

    pub(super) fn line(&self) -> &Line {
        &self.line
    }

    pub(super) const fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    /// No message arrives, or all do again: then the node is told.
    pub(super) fn deafen(&self, deaf: bool) {
        self.line.set_deaf(deaf);
        if !deaf {
            self.ears.lost();
        }
    }

    /// The connection for messages broke and stands again.
    pub(super) fn reconnect(&self) {
        self.ears.lost();
    }

    async fn pass<T>(
        &self,
        operation: FarOperation,
        run: BoxFuture<'_, Result<T, FarError>>,
    ) -> Result<T, FarError> {
        let raises = match operation {
            // A put without a ticket takes one by a read, and then raises.
            FarOperation::Read => self.line.history.is_exclusive(),
            FarOperation::StoreIf | FarOperation::Release => false,
            FarOperation::PutIf
            | FarOperation::Invalidate
            | FarOperation::Expire
            | FarOperation::DropBarrier => true,
        };
        let _over = raises.then(|| Over(&self.line));
        let fate = self.line.command();
        self.line.process.sleep(fate.there).await;
        if let Some(fault) = fate.fault {
            self.failing.fail(operation, fault, 1);
        }
        let done = run.await;
        self.later(&fate);
        self.answer(fate, done).await
    }

    /// Carries out what is late when it is time, though nobody waits for it.
    fn later(&self, fate: &Fate) {
        for call in self.failing.late() {
            let (time, late) = (self.line.time.clone(), fate.late);
            self.line.time.spawn(async move {
                time.sleep(late).await;
                call.run().await
            });
        }
    }

    async fn answer<T>(&self, fate: Fate, done: Result<T, FarError>) -> Result<T, FarError> {
        if done.is_err() && fate.fault != Some(Fault::NotSent) && !fate.told {
            return pending().await;
        }
        self.line.process.sleep(fate.back).await;
        done
    }
}

/// An operation is over for its life, answered or given up: if it was a change, that raises.
struct Over<'a>(&'a Line);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.history.raised(self.0.life);
    }
}

impl Guarded for Link {
    fn read<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
        tags: &'a [&'a str],
        want: Want,
    ) -> BoxFuture<'a, Result<Vec<Read>, FarError>> {
        let run = self.failing.read(space, keys, tags, want);
        Box::pin(self.pass(FarOperation::Read, run))
    }

    fn store_if<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
        part: Part<'a>,
    ) -> BoxFuture<'a, Result<Stored, FarError>> {
        let run = self.failing.store_if(space, key, ticket, part);
        Box::pin(self.pass(FarOperation::StoreIf, run))
    }

    fn put_if<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
        part: Part<'a>,
    ) -> BoxFuture<'a, Result<Put, FarError>> {
        let run = self.failing.put_if(space, key, ticket, part);
        Box::pin(self.pass(FarOperation::PutIf, run))
    }

    fn invalidate<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<(), FarError>> {
        let run = self.failing.invalidate(space, keys);
        Box::pin(self.pass(FarOperation::Invalidate, run))
    }

    fn expire<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<(), FarError>> {
        let run = self.failing.expire(space, keys);
        Box::pin(self.pass(FarOperation::Expire, run))
    }

    fn drop_barrier<'a>(
        &'a self,
        space: &'a Space,
        barrier: Barrier<'a>,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        let run = self.failing.drop_barrier(space, barrier);
        Box::pin(self.pass(FarOperation::DropBarrier, run))
    }

    fn release<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        let run = self.failing.release(space, key, ticket);
        Box::pin(self.pass(FarOperation::Release, run))
    }
}

impl Bus for Link {
    fn listen(&self, space: &Space, sink: Weak<dyn Sink>) {
        let ear = self.ears.add(&self.line, sink);
        self.shelf.listen(space, ear);
    }

    fn number<'a>(&'a self, space: &'a Space) -> BoxFuture<'a, Result<u64, FarError>> {
        Box::pin(async move {
            let fate = self.line.command();
            self.line.process.sleep(fate.there).await;
            let number = match fate.fault {
                None | Some(Fault::Done) => self.shelf.number(space).await,
                Some(Fault::Lost | Fault::Late | Fault::NotSent | Fault::Busy) => {
                    Err(FarError::unknown(KitError::new("no heartbeat, on purpose")))
                }
            };
            let answered = fate.fault.is_none();
            let number = number.and_then(|number| {
                let lost = || FarError::unknown(KitError::new("the answer is lost, on purpose"));
                answered.then_some(number).ok_or_else(lost)
            });
            let number = self.answer(fate, number).await;
            self.line.beats();
            number
        })
    }

    fn publish<'a>(
        &'a self,
        space: &'a Space,
        change: Change,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        self.shelf.publish(space, change)
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link")
            .field("line", &self.line)
            .finish_non_exhaustive()
    }
}
