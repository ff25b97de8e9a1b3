//! Tests of the simulator itself.

mod network;
mod runs;
mod server;
