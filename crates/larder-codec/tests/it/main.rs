//! Tests of the public face.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod drift;
mod format;
mod frames;
mod golden;
mod hex;
mod hostile;
mod memory;
mod page;
mod payloads;
mod shape_errors;
mod shapes;
mod validated;
