//! The Redis adapter over servers that these tests start.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cancelled;
mod cases;
mod cluster;
mod commands;
mod contract;
mod foreign;
mod nodes;
mod permissions;
mod place;
mod still;
mod times;
