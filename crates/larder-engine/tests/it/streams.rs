//! Streams: one running source for all who ask, from the start.

mod bounds;
mod changes;
mod ends;
mod joins;
mod lives;
pub(crate) mod source;
mod stress;
mod values;
