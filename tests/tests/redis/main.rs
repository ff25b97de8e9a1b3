//! The Redis adapter over servers that these tests start.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod aside;
mod burst;
mod callers;
mod cancelled;
mod cases;
mod cluster;
mod commands;
mod connects;
mod contract;
mod crowd;
mod faults;
mod foreign;
mod forgotten;
mod heals;
mod left;
mod masters;
mod nodes;
mod permissions;
mod place;
mod replicas;
mod respond;
mod sentinels;
mod stale;
mod still;
mod times;
mod tls;
mod untold;
mod writers;
