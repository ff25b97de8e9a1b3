//! Tests of the simulator itself.

mod adapter;
mod network;
mod runs;
mod server;
