//! What larder keeps in this process: the near tier's typed entries, and a byte store that can be
//! the far tier.
//!
//! # Nouns
//! - [`Near`]: the entries of one cache. Finding one takes any borrowed form of its key and
//!   allocates nothing.
//! - [`Entry`]: a value, or an absence that is remembered, with what its freshness is judged by.
//! - [`Bound`]: how much is kept.
//! - [`Rare`]: what few entries have beside it.
//! - [`TagSlots`]: what an invalidation of an entry's tags raises.
//! - [`Shelf`]: a byte store with every ability of a far tier, within [`Limits`].
//!
//! # What it is not
//! The near tier judges no freshness: an entry that has expired or was invalidated is found like
//! any other until it is evicted or [swept](Near::sweep), because its finder may want it as a
//! fallback. It knows no clock. Nothing here starts a thread or runs a loader.
//!
//! The near tier's eviction is that of quick_cache (a CLOCK-Pro that keeps what is used often, also
//! through a scan over much else), chosen because it was ahead of its peers in hit ratio, cost of a
//! hit and memory alike. No type of it appears in a signature here.

mod bound;
mod entry;
mod evicted;
mod near;
mod probe;
mod rare;
#[cfg(feature = "shelf")]
mod shelf;
mod tag_slots;

pub use bound::{Bound, Weigh};
pub use entry::{Entry, Freshness};
pub use evicted::Displaced;
pub use near::Near;
pub use rare::{Rare, Renewal};
#[cfg(feature = "shelf")]
pub use shelf::{Limits, Shelf};
pub use tag_slots::TagSlots;
