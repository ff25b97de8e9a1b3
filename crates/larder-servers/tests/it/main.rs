//! Servers that are started, taken down and ended.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cluster;
mod ends;
mod proxy;
mod sentinels;
mod server;
mod standing;
