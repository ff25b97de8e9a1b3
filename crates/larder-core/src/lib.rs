//! The treaty of larder: what every part of the cache agrees on, and nothing else.
//!
//! # Nouns
//! - [`Key`]: what an entry is found by; its text is injective, so two keys never share an entry.
//!   [`Lookup`] is a borrowed form of a key: a hit allocates nothing.
//! - [`Ttl`]: how long an entry may be used; never zero.
//! - [`Clock`] and [`Moment`]: monotonic time, real or moved by hand.
//! - [`Runtime`]: the only way a library crate of larder touches time, an executor or randomness.
//! - [`Store`]: bytes in, bytes out. [`AnyStore`] is a store whose type is chosen at run time.
//! - [`far`]: what a store must be able to do to be a far tier.
//! - [`container`]: the bytes that a far tier keeps under a key, around encoded values.
//! - [`Ticket`]: what a load holds from its start, so that its result can be refused.
//! - [`LoadError`]: why a load gave no answer, one word in size.
//!
//! # What it is not
//! No executor, no serialisation, no eviction and no Redis live here. An adapter (a store, a
//! runtime) needs this crate alone.

mod clock;
pub mod container;
mod digest;
mod error;
pub mod far;
#[doc(hidden)]
pub mod guards;
mod key;
mod lookup;
mod runtime;
mod store;
#[doc(hidden)]
pub mod sync;
mod ticket;
mod ttl;

pub use clock::{Clock, ManualClock, Moment};
pub use digest::digest;
pub use error::{LoadError, LoadErrorKind};
pub use key::{Key, KeyError, KeyReader, KeyWriter};
pub use lookup::Lookup;
pub use runtime::{BlockingError, BoxFuture, Runtime, blocking};
pub use store::{Address, AnyStore, DynStore, Fetched, Found, Removed, Store, StoreError};
pub use ticket::Ticket;
pub use ttl::{Ttl, TtlError};
