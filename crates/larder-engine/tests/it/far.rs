//! Caches with a far tier, on stores in memory.

mod adaptive;
mod basics;
mod builds;
mod cases;
mod cells;
mod corrupt;
mod events;
mod explaining;
mod faults;
mod fc;
mod hazards;
mod late;
mod lease;
#[cfg(feature = "tracing")]
mod logging;
mod many;
mod matrix;
mod modes;
mod others;
mod outcomes;
mod peers;
mod requeue;
mod rig;
mod sizes;
mod stale;
mod streams;
mod support;
mod unguarded;
mod writers;
