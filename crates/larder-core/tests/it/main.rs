//! Tests of the treaty: keys, their borrowed forms, stores, the container and the runtime.

mod abilities;
mod container;
mod container_bytes;
mod container_page;
mod guards;
mod key_laws;
mod keys;
mod lookup;
mod nasty;
mod runtime;
mod store;
mod ttl;
