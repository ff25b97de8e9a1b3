//! Flights under a model checker: what must hold however the threads of the callers, the loads and
//! the clock are interleaved.
//!
//! For builds with `--cfg larder_shuttle`; `cargo xtask test` makes one.
#![cfg(larder_shuttle)]

mod models {
    mod cache;
    mod carried;
    mod ends;
    mod joins;
}
