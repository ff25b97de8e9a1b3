//! Redis as a far tier of the larder cache: what is stored there can be invalidated for good.
//!
//! # Nouns
//! - [`Redis`]: the store, with every ability of a far tier. [`Counts`]: what it has counted.
//! - [`Wire`]: the seam under which connections live. Everything above it is pure logic.
//! - `Connection`: a wire that makes its connections itself and never gives up (feature `client`);
//!   `Settings` say where and how. [`Health`] says how it is, [`ConnectError`] why there is none.
//! - [`Request`] and [`Reply`]: what goes over it. An [`Ear`] hears what is published.
//! - [`Script`]: what the server runs in one step; [`scripts`] lists all there are.
//!
//! # What it is not
//! No codec and no near tier: this crate moves bytes and knows `larder-core` alone. No type of the
//! crate underneath appears in a signature here.

mod args;
mod bounded;
mod connect_error;
#[cfg(feature = "client")]
mod connection;
mod health;
#[cfg(feature = "client")]
mod log;
mod message;
mod names;
mod redis;
mod refusal;
mod replies;
pub mod scripts;
mod tell;
mod ticket;
mod wire;

pub use connect_error::{ConnectError, ConnectErrorKind};
#[cfg(feature = "client")]
pub use connection::{
    Address, Connection, Control, Dial, Heard, Listening, Published, Session, SettingError,
    Settings, Target,
};
pub use health::{ConnectionCounts, Health, MasterHealth, State};
pub use redis::{Counts, Redis, WaitRefused};
pub use scripts::Script;
pub use wire::{Call, Ear, Reply, Request, Route, Wire};
