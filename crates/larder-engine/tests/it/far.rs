//! Caches with a far tier, on stores in memory.

mod basics;
mod faults;
mod hazards;
mod matrix;
mod others;
mod rig;
mod support;
mod unguarded;
