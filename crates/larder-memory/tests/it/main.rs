//! Tests of the near tier.

mod bounds;
mod entries;
mod shelf;
mod support;
