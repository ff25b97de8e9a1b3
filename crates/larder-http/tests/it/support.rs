//! What the tests share.

mod client;
mod service;
mod shelf;

pub(crate) use client::Client;
pub(crate) use service::Service;
pub(crate) use shelf::{Shelf, cart};
