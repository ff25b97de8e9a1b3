//! A store from which an invalidated value never comes back.

use std::time::Duration;

use bytes::Bytes;

use super::{FarError, Space};
use crate::BoxFuture;

/// A store from which an invalidated value never comes back.
///
/// Each key, each tag and each cache has a random **token** in the store. A load takes the tokens
/// before it touches its source (the [`FarTicket`]); what it stores carries them and is dead once
/// one of them is gone. To invalidate is to delete a token, so eviction, expiry, flush and restart
/// invalidate as well; tokens are only ever made where one is missing, new and random each time.
/// `docs/invalidation` has the mechanism and the argument.
///
/// The formats and scripts behind it are the store's own. Every change gives the cache's next
/// number and publishes a message, if the store is a [`Bus`](super::Bus). Nothing is kept without an
/// expiry.
///
/// A dropped future of a change leaves it unknown whether the change happened.
pub trait Guarded: Send + Sync + 'static {
    /// Looks up `keys`, each loaded under the cache's own barrier and `tags`; answers are in the
    /// order of the keys.
    ///
    /// A part whose barriers (those that only the part names among them) are not all in place is
    /// absent. With [`Want::Load`] missing tokens are made before this returns, and an entry of
    /// which every part is dead by its barriers gets a new token in their place; where none can be
    /// made there is no ticket. A key that is listed twice is made and held once.
    ///
    /// # Errors
    /// Nothing is known of any key.
    fn read<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
        tags: &'a [&'a str],
        want: Want,
    ) -> BoxFuture<'a, Result<Vec<Read>, FarError>>;

    /// Stores what a load gave, if its ticket still holds; the part of another schema stays, and of
    /// three the oldest falls.
    ///
    /// Tags that the ticket does not hold get their tokens first and the barrier of all tags is
    /// compared last, inside the store: an invalidation of any tag during the load refuses then.
    /// Where every tag was known, only the ticket's own can refuse. The barriers that the part
    /// lists are renewed, and kept as long as the part if it lives longer than they would.
    ///
    /// # Errors
    /// It may or may not be stored.
    fn store_if<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
        part: Part<'a>,
    ) -> BoxFuture<'a, Result<Stored, FarError>>;

    /// Stores a new value in the place of all parts, under a new token, if the ticket still holds
    /// (as [`store_if`](Self::store_if) sees it); else deletes the entry. Both are told to others.
    ///
    /// # Errors
    /// It may or may not have happened.
    fn put_if<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
        part: Part<'a>,
    ) -> BoxFuture<'a, Result<Put, FarError>>;

    /// Deletes the entries of `keys`, tokens and all.
    ///
    /// # Errors
    /// Some, all or none may be deleted.
    fn invalidate<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<(), FarError>>;

    /// Gives the entries of `keys` new tokens and marks their parts: they serve as fallback only.
    /// An entry without parts is deleted, so that nobody waits for a holder that cannot store.
    ///
    /// # Errors
    /// Some, all or none may be marked.
    fn expire<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<(), FarError>>;

    /// Deletes a barrier's token: kills every entry under it, O(1).
    ///
    /// # Errors
    /// It may or may not be deleted.
    fn drop_barrier<'a>(
        &'a self,
        space: &'a Space,
        barrier: Barrier<'a>,
    ) -> BoxFuture<'a, Result<(), FarError>>;

    /// Lets go of a ticket whose load stores nothing: others need not wait for it. The token is
    /// deleted if it is still the ticket's and has no parts.
    ///
    /// # Errors
    /// It may or may not be let go; it ends by itself.
    fn release<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
    ) -> BoxFuture<'a, Result<(), FarError>>;
}

/// What a read is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third")]
pub enum Want {
    /// To look: nothing is written.
    Look,
    /// To load what is missing: tokens are made.
    Load,
}

/// What a read found of one key.
#[derive(Debug, Clone)]
#[expect(clippy::exhaustive_structs, reason = "made by every adapter")]
pub struct Read {
    /// The part of the space's schema, if there is one that may be used or served as fallback.
    pub found: Option<FarFound>,
    /// Why there is none.
    pub missing: Missing,
    /// The tokens, for a load of this key; `None` where they could not be made, or only looked for
    /// and not all found.
    pub ticket: Option<FarTicket>,
    /// The key's token has no parts, and another read made it: its holder is loading, or has failed
    /// without a release. How long to wait for it is for the waiter to count.
    pub held: bool,
}

/// Why a read found no part, as far as the store can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Missing {
    /// There is none, or there is nothing to say.
    #[default]
    Absent,
    /// There are parts of other schemas only.
    Schema,
    /// The cache was cleared since the part was stored, or its barrier is lost.
    Cleared,
    /// A tag of the part was invalidated since it was stored, or its barrier is lost.
    Tag,
}

/// A part that a read found.
#[derive(Debug, Clone)]
#[expect(clippy::exhaustive_structs, reason = "made by every adapter")]
pub struct FarFound {
    /// The frame, as it was stored.
    pub bytes: Bytes,
    /// How much longer it may be used, by the store's own clock.
    pub left: Duration,
    /// Whether it was expired: it serves as fallback only.
    pub expired: bool,
}

/// The tokens under which a load began: the store's own bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FarTicket(Bytes);

impl FarTicket {
    /// A ticket of these bytes; made by stores only.
    #[must_use]
    pub const fn new(bytes: Bytes) -> Self {
        Self(bytes)
    }

    /// The store's bytes.
    #[must_use]
    pub const fn bytes(&self) -> &Bytes {
        &self.0
    }
}

/// What is stored of a value.
#[derive(Debug, Clone)]
#[expect(clippy::exhaustive_structs, reason = "made by the engine alone")]
pub struct Part<'a> {
    /// The frame.
    pub bytes: Bytes,
    /// The value's tags.
    pub tags: &'a [&'a str],
    /// How long it is kept; zero is not at all.
    pub ends: Duration,
}

/// What [`Guarded::store_if`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third")]
pub enum Stored {
    /// It is stored.
    Stored,
    /// A token of the ticket is gone: it was invalidated meanwhile.
    Refused,
}

/// What [`Guarded::put_if`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third")]
pub enum Put {
    /// The new value is stored.
    Stored,
    /// A token of the ticket is gone: the entry is deleted.
    Deleted,
}

/// What kills many entries at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there is no third")]
pub enum Barrier<'a> {
    /// The entries with a tag.
    Tag(&'a str),
    /// The entries of the cache.
    All,
}
