//! The larder cache itself: caches over a near tier, loads that are coalesced and bounded, and an
//! answer that says why it is what it is.
//!
//! # Nouns
//! - [`Larder`] owns what caches share: the runtime, the bound on loads, the list of names.
//! - [`Cache`] holds `Arc<V>` by `K`, for a time, and loads what it does not hold.
//! - [`CallOptions`] is what one call sets differently from its cache.
//! - [`Outcome`] is why an answer is what it is; [`observe`] gives it for functions under the
//!   attributes.
//! - [`Events`] are what happens in the caches of a larder.
//! - [`Explanation`] is what is known of one key.
//! - [`Mode`] switches a cache, a call or a task off, or to reading or writing only.
//! - [`Stats`] counts every call once.
//! - [`Smol`] is the runtime on smol's executors.
//!
//! ```text
//! call ─ near tier ── fresh and not invalidated since its load began ──────────────> near
//!           │ else
//!           ├─ a flight of the key is running ─ wait ─ invalidated since? no ──────> joined
//!           │                                             └ yes: once more
//!           └─ lead: take a ticket ─ look near again ─ load, detached ─ keep ──────> loaded
//! ```
//!
//! # What it is not
//! No wire, no bytes and no attribute lives here: stores are adapters, the attributes are
//! `larder-macros`, and users take the facade `larder`.

mod answer;
mod attribute;
mod build_error;
mod cache;
mod call;
mod event;
mod events;
mod explain;
#[cfg_attr(
    not(feature = "codec"),
    allow(dead_code, reason = "no cache is given a far tier then")
)]
mod far;
mod larder;
mod lifetime;
mod load;
mod log;
mod many;
mod meter;
mod mode;
mod near;
mod observe;
mod options;
mod outcome;
mod refresh;
mod scope;
#[cfg(feature = "smol")]
mod smol;
mod source;
mod span;
mod stats;
mod stream;
mod sweep;
mod terms;
mod together;

pub use answer::{Answer, Keep, Loaded, One, shape};
pub use build_error::BuildError;
pub use cache::{Cache, CacheBuilder, Got, PutTicket};
pub use event::{Event, Tier, What};
pub use events::Events;
pub use explain::{Explanation, Held};
pub use far::{Change, Unguarded};
pub use larder::{AlreadyInstalled, Larder, LarderBuilder};
pub use load::Previous;
pub use many::Pairs;
pub use mode::Mode;
pub use observe::{Observation, Observed, observe, observe_blocking};
pub use options::CallOptions;
pub use outcome::{Fetched, Outcome, Stale, Why};
pub use refresh::Refresh;
pub use scope::{Under, bypass, under};
#[cfg(feature = "smol")]
pub use smol::Smol;
pub use stats::{FarStats, Stats};
pub use stream::{Drive, Series, Streamed};
pub use terms::ErrorTtl;

/// What the attributes expand to. Not for use by hand: it changes without notice.
#[doc(hidden)]
pub mod __private {
    pub use crate::attribute::*;
    #[cfg(feature = "codec")]
    pub use larder_codec::{ShapeText, Shaped};
}
