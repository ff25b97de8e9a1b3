//! A field that is no key.

use larder::Key;

#[derive(Clone, PartialEq, Key)]
struct Price {
    no: u64,
    amount: f64,
}

fn main() {}
