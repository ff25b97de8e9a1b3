//! What the peers' suites check and what went wrong for others, each under the name it has there:
//! through the attributes where a case speaks of an annotated function, by calls of the cache
//! otherwise, and both ways where that is cheap. In virtual time, with the cases' own times.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bug_a_panic;
mod bug_a_recursion;
mod bug_a_share;
mod bug_a_timeout;
mod bug_b;
mod bug_c;
mod bug_d;
mod bug_e;
mod bug_l;
mod cm;
mod codecs;
mod codecs_secret;
mod hits;
mod settings;
mod shapes;
mod shop;
mod sp_errors;
mod sp_evict;
mod sp_lookup;
