//! What is past its time in a far tier.

mod changed;
mod node;
mod served;
