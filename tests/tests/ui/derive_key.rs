//! Types that cannot be keys.

use larder::Key;

#[derive(Clone, PartialEq, Eq, Hash, Key)]
struct Borrowed<'a>(&'a str);

#[derive(Clone, Copy, Key)]
union Either {
    a: u32,
    b: u64,
}

fn main() {}
