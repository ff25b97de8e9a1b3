//! What the suites of other caches check and none of the tests beside says by name.

mod be;
mod bugs;
mod ca;
mod dg;
mod fc;
mod ru;
mod sp;
