//! How much a store keeps.

/// How much a [`Shelf`](super::Shelf) keeps. Neither limit is ever passed once an operation has
/// returned; what is used seldom goes first, tokens and barriers like entries.
///
/// What takes more than all the bytes by itself is evicted at once. A store that is so small that a
/// load's tokens do not stay gives no old values: it gives none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "two limits, and no third")]
pub struct Limits {
    /// At most so many keys: an entry is one, and so are the token of each tag in use, two more of
    /// each cache, and the number of its messages.
    pub keys: usize,
    /// At most so many bytes: names, values, and what they take around them, estimated.
    pub bytes: usize,
}

impl Default for Limits {
    /// 100,000 keys in 64 MiB.
    fn default() -> Self {
        Self {
            keys: 100_000,
            bytes: 64 << 20,
        }
    }
}
