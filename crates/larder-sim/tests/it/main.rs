//! Tests of the simulator itself.

mod adapter;
mod directed;
mod network;
mod runs;
mod server;
