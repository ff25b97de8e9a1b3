//! Tests of the simulator itself.

mod network;
mod server;
