//! Flights under virtual time and on real threads.

mod batches;
mod cache;
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
