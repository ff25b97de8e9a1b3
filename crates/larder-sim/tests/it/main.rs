//! Tests of the simulator itself.

mod server;
