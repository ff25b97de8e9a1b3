//! Tests of the treaty: keys, their borrowed forms, stores and the runtime.

mod abilities;
mod key_laws;
mod keys;
mod lookup;
mod nasty;
mod runtime;
mod store;
