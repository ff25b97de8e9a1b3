//! Tests of the public face.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(all(feature = "json", feature = "prost"))]
mod codecs;
mod drift;
mod format;
mod frames;
mod golden;
#[cfg(all(
    feature = "compress",
    feature = "encrypt",
    feature = "json",
    feature = "prost"
))]
mod golden_codecs;
mod hex;
mod hostile;
mod memory;
mod page;
mod payloads;
mod shape_errors;
mod shapes;
mod validated;
#[cfg(all(feature = "compress", feature = "encrypt", feature = "json"))]
mod wrapped;
