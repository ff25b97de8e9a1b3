//! Several keys in one call.

mod ends;
mod joins;
mod modes;
mod shapes;
pub(crate) mod source;
mod stress;
mod values;
