//! The ports to where deals and users live.

use std::pin::Pin;

use crate::{Deal, Page, Selection, SourceError, User};

/// The answer of a source, under way. Dropping it gives up waiting; a change that has begun may still happen.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, SourceError>> + Send + 'a>>;

/// Where deals live: the source of truth, with no cache in front.
///
/// A source is shared by everything that serves, so every method takes `&self` and may be called at any number
/// of times at once. What more is asked than it can bear is refused
/// ([`Overloaded`](crate::SourceErrorKind::Overloaded)), never queued without end. Each call allocates its future.
pub trait DealSource: Send + Sync + 'static {
    /// The deal of this number, or `None`.
    fn read(&self, no: u64) -> Answer<'_, Option<Deal>>;

    /// Those of the deals of these numbers that there are, in any order. Of one moment, if the source knows such.
    fn read_many(&self, numbers: Vec<u64>) -> Answer<'_, Vec<Deal>>;

    /// The first deals of a selection, in the order of their numbers.
    fn list(&self, selection: &Selection) -> Answer<'_, Page>;

    /// Stores a deal under its number, in place of the one there was. Once answered, every later read gives it.
    ///
    /// The deal has passed [`Deal::check`]. If the answer is an error, it may be stored or not.
    fn save(&self, deal: &Deal) -> Answer<'_, Saved>;

    /// Removes the deal of this number and says whether there was one. Once answered, no later read gives it.
    fn delete(&self, no: u64) -> Answer<'_, bool>;

    /// 0 until anybody but this source has changed deals, and another number than before after each such change. Cheap
    /// enough to be asked every second.
    fn version(&self) -> Answer<'_, u64>;

    /// Succeeds while reads can be expected to. Cheap enough to be asked every second.
    fn ready(&self) -> Answer<'_, ()>;
}

/// Where users live: as a [`DealSource`], and only read.
pub trait UserSource: Send + Sync + 'static {
    /// The user of this id, or `None`. An error says nothing of what is stored.
    fn user(&self, id: &str) -> Answer<'_, Option<User>>;
}

/// What [`DealSource::save`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there is no third thing")]
pub enum Saved {
    /// There was no deal of this number.
    Created,
    /// A deal of this number was replaced.
    Replaced,
}
