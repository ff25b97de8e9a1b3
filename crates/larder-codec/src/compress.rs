//! Smaller payloads.

use crate::Refusal;

/// The largest payload that is compressed, and the largest that one is read as: 16 MiB.
pub const LARGEST_COMPRESSED: usize = 16 << 20;

/// A byte of LZ4 stands for at most so many.
const MOST_RATIO: usize = 255;

/// The payload in LZ4, after its length in four bytes; `None` where that is not smaller.
pub(crate) fn compressed(payload: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(payload.len()).ok()?;
    if payload.len() > LARGEST_COMPRESSED {
        return None;
    }
    let packed = lz4_flex::block::compress(payload);
    if packed.len() + 4 >= payload.len() {
        return None;
    }
    Some([&length.to_le_bytes(), packed.as_slice()].concat())
}

/// What a compressed payload holds. What it claims is compared with what its bytes can hold before
/// anything is set aside, and it is not expanded past its claim.
pub(crate) fn expanded(payload: &[u8]) -> Result<Vec<u8>, Refusal> {
    let (length, packed) = payload.split_first_chunk().ok_or(Refusal::Expansion)?;
    let length = u32::from_le_bytes(*length) as usize;
    if length > LARGEST_COMPRESSED || length > packed.len().saturating_mul(MOST_RATIO) {
        return Err(Refusal::Expansion);
    }
    let mut out = vec![0; length];
    match lz4_flex::block::decompress_into(packed, &mut out) {
        Ok(written) if written == length => Ok(out),
        _ => Err(Refusal::Expansion),
    }
}
