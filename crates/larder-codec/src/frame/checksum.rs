//! The sum that tells damaged bytes.

/// Half of an XXH3 of 64 bits. One damage in four billion passes as sound, and then still meets the
/// digests of schema and key and a decoder that refuses. It is against damage only: who can write to
/// the store can write a sum as well, and against him only encryption helps.
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    xxhash_rust::xxh3::xxh3_64(bytes) as u32
}
