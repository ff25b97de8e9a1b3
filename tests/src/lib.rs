//! Tests of the whole: see the `tests` folder of this package. Here the Rust blocks of pages
//! outside any crate become doctests, and the servers
//! that tests run against are [started](servers) and ended.

mod book;
pub mod servers;

/// The README's example runs as it stands.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
