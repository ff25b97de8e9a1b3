//! A call of a far tier, as a value.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use larder_core::far::{Barrier, FarError, FarTicket, Guarded, Part, Space, Want};

/// What a far tier is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the methods of `Guarded`")]
pub enum FarOperation {
    /// [`Guarded::read`].
    Read,
    /// [`Guarded::store_if`].
    StoreIf,
    /// [`Guarded::put_if`].
    PutIf,
    /// [`Guarded::invalidate`].
    Invalidate,
    /// [`Guarded::expire`].
    Expire,
    /// [`Guarded::drop_barrier`].
    DropBarrier,
    /// [`Guarded::release`].
    Release,
}

impl FarOperation {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Read,
        Self::StoreIf,
        Self::PutIf,
        Self::Invalidate,
        Self::Expire,
        Self::DropBarrier,
        Self::Release,
    ];
}

/// A call that was sent and is still to be carried out: by [`run`](Self::run), whenever the test
/// says, or never.
pub struct FarCall {
    far: Arc<dyn Guarded>,
    space: Space,
    ask: Ask,
}

/// What a call asks for, owned.
pub(super) enum Ask {
    Read(Vec<Vec<u8>>, Vec<String>, Want),
    StoreIf(Vec<u8>, FarTicket, OwnedPart),
    PutIf(Vec<u8>, FarTicket, OwnedPart),
    Invalidate(Vec<Vec<u8>>),
    Expire(Vec<Vec<u8>>),
    DropTag(String),
    Clear,
    Release(Vec<u8>, FarTicket),
}

pub(super) struct OwnedPart {
    bytes: Bytes,
    tags: Vec<String>,
    ends: Duration,
}

impl FarCall {
    pub(super) fn new(far: &Arc<dyn Guarded>, space: &Space, ask: Ask) -> Self {
        Self {
            far: Arc::clone(far),
            space: space.clone(),
            ask,
        }
    }

    /// What it asks for.
    #[must_use]
    pub const fn operation(&self) -> FarOperation {
        match &self.ask {
            Ask::Read(..) => FarOperation::Read,
            Ask::StoreIf(..) => FarOperation::StoreIf,
            Ask::PutIf(..) => FarOperation::PutIf,
            Ask::Invalidate(_) => FarOperation::Invalidate,
            Ask::Expire(_) => FarOperation::Expire,
            Ask::DropTag(_) | Ask::Clear => FarOperation::DropBarrier,
            Ask::Release(..) => FarOperation::Release,
        }
    }

    /// Carries it out. Nobody gets the answer.
    ///
    /// # Errors
    /// As the far tier that was called.
    pub async fn run(self) -> Result<(), FarError> {
        let (far, space) = (&self.far, &self.space);
        match &self.ask {
            Ask::Read(keys, tags, want) => {
                let read = far.read(space, &keys_of(keys), &tags_of(tags), *want).await;
                read.map(drop)
            }
            Ask::StoreIf(key, ticket, part) => {
                let tags = tags_of(&part.tags);
                let stored = far.store_if(space, key, ticket, part.with(&tags)).await;
                stored.map(drop)
            }
            Ask::PutIf(key, ticket, part) => {
                let tags = tags_of(&part.tags);
                let put = far.put_if(space, key, ticket, part.with(&tags)).await;
                put.map(drop)
            }
            Ask::Invalidate(keys) => far.invalidate(space, &keys_of(keys)).await,
            Ask::Expire(keys) => far.expire(space, &keys_of(keys)).await,
            Ask::DropTag(tag) => far.drop_barrier(space, Barrier::Tag(tag)).await,
            Ask::Clear => far.drop_barrier(space, Barrier::All).await,
            Ask::Release(key, ticket) => far.release(space, key, ticket).await,
        }
    }
}

impl Ask {
    pub(super) fn read(keys: &[&[u8]], tags: &[&str], want: Want) -> Self {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        Self::Read(owned(keys), tags, want)
    }

    pub(super) fn store_if(key: &[u8], ticket: &FarTicket, part: &Part<'_>) -> Self {
        Self::StoreIf(key.to_owned(), ticket.clone(), OwnedPart::of(part))
    }

    pub(super) fn put_if(key: &[u8], ticket: &FarTicket, part: &Part<'_>) -> Self {
        Self::PutIf(key.to_owned(), ticket.clone(), OwnedPart::of(part))
    }

    pub(super) fn invalidate(keys: &[&[u8]]) -> Self {
        Self::Invalidate(owned(keys))
    }

    pub(super) fn expire(keys: &[&[u8]]) -> Self {
        Self::Expire(owned(keys))
    }

    pub(super) fn drop_barrier(barrier: Barrier<'_>) -> Self {
        match barrier {
            Barrier::Tag(tag) => Self::DropTag(tag.to_owned()),
            Barrier::All => Self::Clear,
        }
    }

    pub(super) fn release(key: &[u8], ticket: &FarTicket) -> Self {
        Self::Release(key.to_owned(), ticket.clone())
    }
}

impl OwnedPart {
    fn of(part: &Part<'_>) -> Self {
        Self {
            bytes: part.bytes.clone(),
            tags: part.tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ends: part.ends,
        }
    }

    fn with<'a>(&self, tags: &'a [&'a str]) -> Part<'a> {
        Part {
            bytes: self.bytes.clone(),
            tags,
            ends: self.ends,
        }
    }
}

impl fmt::Debug for FarCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FarCall").field(&self.operation()).finish()
    }
}

fn owned(keys: &[&[u8]]) -> Vec<Vec<u8>> {
    keys.iter().map(|key| key.to_vec()).collect()
}

fn keys_of(keys: &[Vec<u8>]) -> Vec<&[u8]> {
    keys.iter().map(Vec::as_slice).collect()
}

fn tags_of(tags: &[String]) -> Vec<&str> {
    tags.iter().map(String::as_str).collect()
}
