//! The ability to tell other nodes, those that share the store in this process.

use std::sync::Weak;
use std::time::Duration;

use larder_core::BoxFuture;
use larder_core::far::{Bus, Change, FarError, Sink, Space};

use super::Shelf;

impl Bus for Shelf {
    /// Nothing is ever lost, doubled or out of order: who changes something gives out the messages
    /// before the change returns, unless another thread is just giving out others. What a listener
    /// panics with is lost.
    fn listen(&self, space: &Space, sink: Weak<dyn Sink>) {
        self.room(space, |room| room.post.listen(space.cache(), sink));
    }

    /// Nobody else can write to it, so nothing is to be told.
    fn hears_writers(&self) -> Result<(), &'static str> {
        Ok(())
    }

    fn number<'a>(&'a self, space: &'a Space) -> BoxFuture<'a, Result<u64, FarError>> {
        self.far(space, |room| {
            room.renew(&[], Duration::ZERO);
            room.number()
        })
    }

    fn publish<'a>(
        &'a self,
        space: &'a Space,
        change: Change,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        self.far(space, move |room| room.announce(change))
    }
}
