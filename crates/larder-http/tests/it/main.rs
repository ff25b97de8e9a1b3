//! The service over real sockets, with a source that tests hold in their hands.

mod batch;
mod body;
mod cached;
mod deals;
mod delays;
mod input;
mod limits;
mod lists;
mod mutations;
mod openapi;
mod panics;
mod puts;
mod raw;
mod shutdown;
mod streams;
mod support;
mod users;
mod wire;
