//! A short name for bytes, the same on every node.

/// The 64 bits by which messages and barriers name a key or a tag: XXH3.
///
/// Stable over processes and versions. Two texts with one digest cost each other a load now and
/// then, never a wrong value; so it need not resist who looks for one.
#[must_use]
pub fn digest(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_frozen() {
        assert_eq!(digest(b""), 0x2d06_8005_38d3_94c2);
        assert_ne!(digest(b"5"), digest(b"6"));
    }
}
