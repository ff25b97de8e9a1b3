//! One load per key: coalesced, bounded, with a deadline and tickets.
//!
//! # Nouns
//! - A *load* runs the user's function for a key. A *flight* is one running load with those who
//!   wait for it; [`Flights`] are those of one cache.
//! - Who [enters](Flights::enter) gets a [`Lead`], the right and the duty to run the load, or a
//!   [`Waiter`] for one that is running. Loads are detached: they belong to the cache, callers only
//!   wait, and one who leaves takes nothing along.
//! - [`Leads`] run one load for several keys, each with a flight of its own.
//! - [`Stamps`] hold the clock of a cache and say by a [`Ticket`](larder_core::Ticket) whether a
//!   value is still current. A running load is joined only by calls that may use its answer.
//! - A [`Limit`] bounds how many loads run at once.
//!
//! # Example
//! ```
//! use std::{sync::Arc, time::Duration};
//! use larder_core::Runtime;
//! use larder_flight::{Entered, Flights, Limit, Stamps};
//!
//! let time = larder_kit::Virtual::new();
//! let stamps = Arc::new(Stamps::new(64));
//! let limit = Arc::new(Limit::new(256));
//! let flights = Flights::new(time.runtime(), Arc::clone(&stamps), vec![limit]);
//!
//! let (key, slot) = ("eggs", stamps.slot("eggs"));
//! let call = || flights.enter(&key, slot, stamps.ticket(time.now()));
//! let Entered::Lead(lead) = call()? else { panic!("nobody loads eggs yet") };
//! let Entered::Join(second) = call()? else { panic!("somebody does now") };
//! // Here a cache looks again for the value, and settles the flight if it is there.
//! let load = async { Ok(12) };
//! let first = lead.start(Duration::from_secs(30), load, |eggs| {
//!     // Here a cache keeps the value, under the ticket of the load.
//!     Arc::new(eggs)
//! });
//! let (first, second) = time.block_on(async { (first.wait().await, second.wait().await) });
//! assert!(Arc::ptr_eq(&first?, &second?));
//! # Ok::<(), larder_core::LoadError>(())
//! ```
//!
//! # What it promises
//! - Each flight ends, and once: with the result, a panic, the deadline, or the end of its leader or
//!   runtime. Every waiter gets that end; nobody waits past the deadline.
//! - A result is kept before the key is free: who finds no flight finds the value.
//! - A load that waits for itself, directly or through others, in one cache or several, gets an
//!   error at once, as far as the wait is polled inside the load.
//! - No lock is held over an await, nor while the user's code runs, but for a key's `Eq`.
//!
//! # What it is not
//! It keeps no values: there is no cache in here. It does not run loads again: an error is the
//! answer of all who waited.
//!
//! The idea is `singleflight` of Go's groupcache. There the first caller runs the work in its own
//! name; here the work is the cache's, so that leaving callers, panics and loads that hang harm
//! nobody, and an answer that was invalidated on its way is not handed to later callers.

mod board;
mod carried;
mod caught;
mod early;
mod flight;
mod flights;
mod lead;
mod leads;
mod limit;
mod load;
mod nesting;
mod seat;
mod stamps;
mod time;
mod waiter;

pub use carried::Away;
pub use early::Early;
pub use flight::Shown;
pub use flights::{Entered, Flights};
pub use lead::Lead;
pub use leads::Leads;
pub use limit::{Limit, Permit};
pub use stamps::{Slot, Stamps, Standing};
pub use waiter::Waiter;
