//! How nodes tell each other.

use std::sync::Weak;

use super::{FarError, Space};
use crate::BoxFuture;

/// How nodes tell each other of changes: numbered messages, a cache at a time.
///
/// The numbers of a cache start at random, set by whoever finds none, and go up by one with each
/// message. What a gap, a late number or a lost connection means is decided by who listens.
pub trait Bus: Send + Sync + 'static {
    /// Gives `sink` the messages of a cache and its wakes from now on, until the sink is gone; a
    /// node's own messages too. Messages may be late, doubled, out of order and lost; a loss that
    /// the bus notices is told.
    fn listen(&self, space: &Space, sink: Weak<dyn Sink>);

    /// Whether it can tell what others than larder write and delete, in a space that
    /// [has such writers](Space::has_foreign_writers). By default it cannot.
    ///
    /// # Errors
    /// It cannot: the text ends a sentence about the bus.
    fn hears_writers(&self) -> Result<(), &'static str> {
        Err("tells what larder changes, and not what others write")
    }

    /// The number of the last message of a cache: the heartbeat. Made where it is missing; renewed,
    /// and with it the barriers that all its entries share.
    ///
    /// # Errors
    /// The bus could not be reached; or others write in this space, and what they write is not heard
    /// at the moment.
    fn number<'a>(&'a self, space: &'a Space) -> BoxFuture<'a, Result<u64, FarError>>;

    /// Sends a message of its own: for a bus that is another object than the far store.
    ///
    /// # Errors
    /// It may or may not be sent.
    fn publish<'a>(
        &'a self,
        space: &'a Space,
        change: Change,
    ) -> BoxFuture<'a, Result<(), FarError>>;
}

/// Who is told. Called by the bus, in the order of arrival; must be quick and must not block.
pub trait Sink: Send + Sync + 'static {
    /// A message has arrived.
    fn receive(&self, message: Message);

    /// Messages may have been lost.
    fn lost(&self);

    /// The entry of the key with this [digest](crate::digest) was written or deleted by somebody who
    /// is not larder, or that is not sure. Told in spaces with
    /// [foreign writers](Space::has_foreign_writers) alone. By default it is a loss.
    fn touched(&self, _key: u64) {
        self.lost();
    }

    /// A load of the key with this [digest](crate::digest) has ended on some node, with a store or
    /// a release: who waits for it may look again. A wake has no number, changes nothing and may be
    /// lost. By default nothing is done.
    fn wake(&self, _key: u64) {}
}

/// A message of a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "made by every adapter")]
pub struct Message {
    /// Who made the change.
    pub node: u64,
    /// Its number.
    pub number: u64,
    /// What was changed.
    pub change: Change,
}

/// What was changed, by [digests](crate::digest) of keys and tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "what is not known is `All`")]
pub enum Change {
    /// A key was invalidated or put.
    Key(u64),
    /// A key was expired.
    Expired(u64),
    /// A tag was invalidated.
    Tag(u64),
    /// The cache was cleared, or the message's form is not known.
    All,
}
