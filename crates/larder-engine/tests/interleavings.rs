//! The cache under a model checker: what must hold however the threads of callers, loads and changes
//! are interleaved.
//!
//! For builds with `--cfg larder_shuttle`; `cargo xtask test` makes one.
#![cfg(larder_shuttle)]

mod models {
    mod far;
    mod near;
    mod shop;
}
