//! Writing a frame.

use std::fmt;

#[cfg(feature = "encrypt")]
use larder_core::Address;

use super::checksum::checksum;
use super::{Subject, labels, layout};
#[cfg(feature = "encrypt")]
use crate::Keys;
use crate::{EncodeError, Times};

/// The payload of an absence.
type Nothing = Option<fn(&mut Vec<u8>) -> Result<(), EncodeError>>;

/// What a frame says beside its payload.
///
/// Header, labels and payload are written into one buffer, one after the other; length and checksum
/// are filled in afterwards. Nothing is copied.
#[derive(Clone, Copy)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a frame of this version has no others"
)]
pub struct Frame<'a, T = &'a str> {
    /// What it is about.
    pub subject: Subject,
    /// The times.
    pub times: Times,
    /// The names of the tags.
    pub tags: &'a [T],
    /// What the source knows the value's version by, if it says.
    pub validator: Option<&'a [u8]>,
    /// Whether the payload is compressed.
    pub compressed: bool,
    /// Whether the payload is encrypted.
    pub encrypted: bool,
}

impl<'a, T: AsRef<str>> Frame<'a, T> {
    /// Bytes of a frame beside its labels and its payload.
    pub const SIZE: usize = layout::HEADER + layout::CHECKSUM;

    /// A frame without labels, of a payload that is neither compressed nor encrypted.
    #[must_use]
    pub const fn new(subject: Subject, times: Times) -> Self {
        Self {
            subject,
            times,
            tags: &[],
            validator: None,
            compressed: false,
            encrypted: false,
        }
    }

    /// Appends the frame of a value to `out`; `payload` appends the encoded value.
    ///
    /// # Errors
    /// That of `payload`, or a label or the payload is too long. Then `out` is as it was.
    ///
    /// # Panics
    /// `payload` took away what was there before it.
    pub fn write_value(
        &self,
        out: &mut Vec<u8>,
        payload: impl FnOnce(&mut Vec<u8>) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        self.write(out, Some(payload))
    }

    /// Appends the frame of an absence to `out`. There is no payload to compress or encrypt.
    ///
    /// # Errors
    /// A label is too long. Then `out` is as it was.
    pub fn write_absence(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.write(out, Nothing::None)
    }

    /// Appends the frame of a value, or of an absence.
    pub(crate) fn write(
        &self,
        out: &mut Vec<u8>,
        payload: Option<impl FnOnce(&mut Vec<u8>) -> Result<(), EncodeError>>,
    ) -> Result<(), EncodeError> {
        let start = out.len();
        let flags = match payload {
            Some(_) => self.flags(),
            None => layout::ABSENCE,
        };
        let written = self.begin(flags, out).and_then(|()| {
            payload.map_or(Ok(()), |payload| payload(out))?;
            set_length(out, start, 0)?;
            set_sum(out, start);
            Ok(())
        });
        written.inspect_err(|_| out.truncate(start))
    }

    /// As [`write`](Self::write), encrypted and bound to the address.
    #[cfg(feature = "encrypt")]
    pub(crate) fn write_sealed(
        &self,
        out: &mut Vec<u8>,
        payload: Option<impl FnOnce(&mut Vec<u8>) -> Result<(), EncodeError>>,
        (keys, address): (&Keys, Address<'_>),
    ) -> Result<(), EncodeError> {
        let start = out.len();
        let kind = match payload {
            Some(_) => self.flags(),
            None => layout::ABSENCE,
        };
        let written = self.begin(kind | layout::ENCRYPTED, out).and_then(|()| {
            keys.begin(out)?;
            let sealed = out.len();
            payload.map_or(Ok(()), |payload| payload(out))?;
            set_length(out, start, Keys::TAG)?;
            keys.seal(address, out, start..sealed)?;
            set_sum(out, start);
            Ok(())
        });
        written.inspect_err(|_| out.truncate(start))
    }

    const fn flags(&self) -> u8 {
        let compressed = if self.compressed {
            layout::COMPRESSED
        } else {
            0
        };
        let encrypted = if self.encrypted { layout::ENCRYPTED } else { 0 };
        compressed | encrypted
    }

    fn begin(&self, mut flags: u8, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        if !self.tags.is_empty() {
            flags |= layout::TAGGED;
        }
        if self.validator.is_some() {
            flags |= layout::VALIDATED;
        }
        out.extend_from_slice(&[layout::FIRST, flags, self.subject.codec]);
        out.extend_from_slice(&self.subject.schema.bits().to_le_bytes());
        out.extend_from_slice(&self.subject.key.bits().to_le_bytes());
        out.extend_from_slice(&self.times.pack());
        // The length, once it is known.
        out.extend_from_slice(&[0; 4]);
        if !self.tags.is_empty() {
            labels::write_tags(self.tags, out)?;
        }
        if let Some(validator) = self.validator {
            labels::write_bytes(validator, out)?;
        }
        Ok(())
    }
}

/// Fills in the length of the frame that begins at `start`, to which `more` bytes come.
fn set_length(out: &mut [u8], start: usize, more: usize) -> Result<(), EncodeError> {
    let body = out.len() + more - start - layout::HEADER;
    let length = u32::try_from(body).map_err(|_| EncodeError::TooLong)?;
    let at = start + layout::LENGTH;
    out[at..at + 4].copy_from_slice(&length.to_le_bytes());
    Ok(())
}

/// Ends the frame that begins at `start` with its checksum.
fn set_sum(out: &mut Vec<u8>, start: usize) {
    let sum = checksum(&out[start..]);
    out.extend_from_slice(&sum.to_le_bytes());
}

/// Tags and validators are not for logs either.
impl<T> fmt::Debug for Frame<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame")
            .field("subject", &self.subject)
            .field("times", &self.times)
            .field("tags", &self.tags.len())
            .field("validator", &self.validator.map(<[u8]>::len))
            .field("compressed", &self.compressed)
            .field("encrypted", &self.encrypted)
            .finish()
    }
}
