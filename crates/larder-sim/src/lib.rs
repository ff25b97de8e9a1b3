//! The simulator of larder: several nodes with the real engine, a far store and a network that
//! fail on purpose, in virtual time, from one seed.
//!
//! # Nouns
//! - [`server`]: a model of Redis as far as larder uses it.
//! - [`network`]: what lies between the nodes and the server, and what it does wrong.
//! - [`Trace`]: what happened in a run, line by line.
//!
//! # What it is not
//! No part of a running program, and no copy of the engine: what runs here is the crate that users
//! get. Nothing here sleeps or looks at the machine's clock.

pub mod network;
pub mod server;
mod trace;

pub use trace::Trace;
