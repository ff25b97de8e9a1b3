//! Flights under virtual time and on real threads.

mod batches;
mod cache;
mod carried;
mod deadlines;
mod invalidated;
mod keys;
mod leaving;
mod limits;
mod nesting;
mod panics;
mod runtime_gone;
mod stamps;
mod storm;
