//! Tests of the cache by its public face, in virtual time where time matters.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod absence;
mod adaptive;
mod bound;
mod builder;
mod cache_object;
mod changes;
mod contract;
mod counting;
mod deadline;
mod dropping;
mod durations;
mod events;
mod explaining;
#[cfg(feature = "codec")]
mod far;
mod history;
mod idle;
mod limits;
mod lives;
#[cfg(feature = "tracing")]
mod logging;
mod many;
#[cfg(feature = "metrics")]
mod metering;
mod modes;
mod names;
mod observing;
mod outcomes;
mod schedules;
mod scoped;
mod shutdown;
mod smol_runtime;
mod stale;
mod streams;
mod stress;
mod subjects;
mod support;
mod sweeping;
mod time;
