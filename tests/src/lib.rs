//! Tests of the whole: see the `tests` folder of this package. Here the Rust blocks of pages
//! outside any crate become doctests.

mod book;
/// Servers that tests run against, started and ended by them.
pub use larder_servers as servers;

/// The README's example runs as it stands.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
