//! The keys that payloads are encrypted by.

use std::fmt;
use std::ops::Range;

use chacha20poly1305::aead::AeadInOut;
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use larder_core::Address;
use zeroize::Zeroize;

use crate::{EncodeError, Refusal};

/// The keys that the payloads of a cache are encrypted by: one that writes, and others that are
/// still read. Each has a number, which lies beside what it encrypted.
///
/// A key is rotated in two deploys: the first reads the new one [as well](Self::also), the second
/// writes with it and reads the old one as well, until the longest ttl has passed.
///
/// ```
/// use larder_codec::Keys;
/// # let (new, old) = ([1; 32], [2; 32]);
/// let keys = Keys::new(8, new).also(7, old);
/// assert_eq!(format!("{keys:?}"), "Keys { writes: 8, reads: [8, 7] }");
/// ```
///
/// Keys are wiped from memory when they are dropped; what the caller copied them from is his to wipe.
pub struct Keys {
    writes: Key,
    reads: Vec<Key>,
}

struct Key {
    id: u32,
    cipher: XChaCha20Poly1305,
}

/// Bytes before the ciphertext: the key's number and the nonce.
const HEAD: usize = 4 + NONCE;
const NONCE: usize = 24;

impl Keys {
    /// One key that writes and reads. Its 32 bytes come from a source of randomness, never from a
    /// word.
    #[must_use]
    pub fn new(id: u32, key: [u8; 32]) -> Self {
        Self {
            writes: Key::new(id, key),
            reads: Vec::new(),
        }
    }

    /// A key that is read as well. Keys of one number are tried one after the other.
    #[must_use]
    pub fn also(mut self, id: u32, key: [u8; 32]) -> Self {
        self.reads.push(Key::new(id, key));
        self
    }

    /// Appends the key's number and a new nonce, behind which the payload is to be written.
    ///
    /// The nonce is the system's randomness, 24 bytes, so that no two are ever the same; that of a
    /// runtime need not be fit for it.
    pub(crate) fn begin(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).map_err(|_| EncodeError::Randomness)?;
        out.extend_from_slice(&self.writes.id.to_le_bytes());
        out.extend_from_slice(&nonce);
        Ok(())
    }

    /// Bytes after the ciphertext.
    pub(crate) const TAG: usize = 16;

    /// Encrypts in place what lies behind `before` in `out`, bound to the address and to all that lies
    /// in it: the header, the labels, and what [`begin`](Self::begin) wrote.
    pub(crate) fn seal(
        &self,
        address: Address<'_>,
        out: &mut Vec<u8>,
        before: Range<usize>,
    ) -> Result<(), EncodeError> {
        let (head, payload) = out.split_at_mut(before.end);
        let around = around(address, &head[before.start..]);
        let nonce = nonce(head).ok_or(EncodeError::Randomness)?;
        let cipher = &self.writes.cipher;
        let tag = cipher.encrypt_inout_detached(&nonce, &around, payload.into());
        let tag = tag.map_err(|_| EncodeError::TooLong)?;
        out.extend_from_slice(&tag);
        Ok(())
    }

    /// The payload of a frame: `head` is what lies before it, `sealed` what is in its place.
    pub(crate) fn open(
        &self,
        address: Address<'_>,
        head: &[u8],
        sealed: &[u8],
    ) -> Result<Vec<u8>, Refusal> {
        let (start, rest) = sealed.split_at_checked(HEAD).ok_or(Refusal::Seal)?;
        let (payload, tag) = rest
            .split_last_chunk::<{ Self::TAG }>()
            .ok_or(Refusal::Seal)?;
        let nonce = nonce(start).ok_or(Refusal::Seal)?;
        let around = around(address, &[head, start].concat());
        let id = &start[..4];
        let mut refusal = Refusal::Codec;
        for key in std::iter::once(&self.writes).chain(&self.reads) {
            if key.id.to_le_bytes() != id {
                continue;
            }
            let mut out = payload.to_vec();
            let opened = key.cipher.decrypt_inout_detached(
                &nonce,
                &around,
                (&mut out[..]).into(),
                tag.into(),
            );
            if opened.is_ok() {
                return Ok(out);
            }
            refusal = Refusal::Seal;
        }
        Err(refusal)
    }
}

impl Key {
    fn new(id: u32, mut key: [u8; 32]) -> Self {
        let cipher = XChaCha20Poly1305::new((&key).into());
        key.zeroize();
        Self { id, cipher }
    }
}

/// The nonce at the end of what lies before a payload.
fn nonce(head: &[u8]) -> Option<XNonce> {
    head.last_chunk::<NONCE>().map(|nonce| (*nonce).into())
}

/// What a payload is bound to: the whole address, each part with its length, and what lies before it.
fn around(address: Address<'_>, head: &[u8]) -> Vec<u8> {
    let (cache, key) = (address.cache().as_bytes(), address.key());
    let lengths = [cache, key].map(|part| (part.len() as u64).to_le_bytes());
    [&lengths[0], cache, &lengths[1], key, head].concat()
}

/// Only numbers are shown.
impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let also = self.reads.iter().map(|key| key.id);
        let reads: Vec<_> = std::iter::once(self.writes.id).chain(also).collect();
        f.debug_struct("Keys")
            .field("writes", &self.writes.id)
            .field("reads", &reads)
            .finish()
    }
}
