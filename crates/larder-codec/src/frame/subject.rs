//! What a frame is about.

use larder_core::{Address, digest};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{FrameRef, Refusal};
use crate::Schema;

/// What a frame is about: written into it, and compared when it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a frame of this version has no others"
)]
pub struct Subject {
    /// The key, so that a frame which lies under another one is noticed.
    pub key: KeyDigest,
    /// The shape of the value.
    pub schema: Schema,
    /// The codec's [number](crate::Codec::id).
    pub codec: u8,
}

impl Subject {
    /// Whether a frame is about this.
    ///
    /// # Errors
    /// It is about another key, schema or codec.
    pub fn check(&self, frame: &FrameRef<'_>) -> Result<(), Refusal> {
        let found = frame.subject();
        if found.key != self.key {
            Err(Refusal::Key)
        } else if found.schema != self.schema {
            Err(Refusal::Schema)
        } else if found.codec != self.codec {
            Err(Refusal::Codec)
        } else {
            Ok(())
        }
    }
}

/// The digest of a cache's name and a key of it, the key at its full length: XXH3, 64 bits.
///
/// It tells a frame that an error put under another key (a store that mixes up its answers, a copy
/// by hand). It does not tell who makes two keys with one digest on purpose: that they are two
/// entries is the store's to see to, which names them by the whole key or a digest made for that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyDigest(u64);

impl KeyDigest {
    /// The digest of an address. Allocates nothing.
    #[must_use]
    pub fn new(address: Address<'_>) -> Self {
        // Two hashes one after the other keep the name's end and the key's beginning apart.
        let seed = digest(address.cache().as_bytes());
        Self(xxh3_64_with_seed(address.key(), seed))
    }

    pub(super) const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    pub(super) const fn bits(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_and_the_key_do_not_run_together() {
        let of = |cache, key: &[u8]| KeyDigest::new(Address::new(cache, key));
        assert_ne!(of("deals", b"7"), of("deal", b"s7"));
        assert_ne!(of("deals", b"7"), of("users", b"7"));
        assert_ne!(of("deals", b"7"), of("deals", b"8"));
        assert_ne!(of("", b"deals"), of("deals", b""));
    }

    #[test]
    fn digests_are_frozen() {
        let digest = KeyDigest::new(Address::new("deals", b"7"));
        assert_eq!(digest.bits(), 0xbffa_bece_0e57_fdef);
    }
}
