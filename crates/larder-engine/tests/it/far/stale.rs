//! What is past its time in a far tier.

mod changed;
pub(super) mod node;
mod served;
