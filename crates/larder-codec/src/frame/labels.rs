//! The tags and the validator, between header and payload.

use std::fmt;

use super::Refusal;
use crate::EncodeError;

/// The names of a frame's tags, borrowed from it.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Tags<'a> {
    count: u16,
    /// What is left of them: each a length of two bytes and a text. Checked when the frame was read.
    bytes: &'a [u8],
}

impl<'a> Iterator for Tags<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.count = self.count.checked_sub(1)?;
        let name = split(&mut self.bytes).ok()?;
        std::str::from_utf8(name).ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.count.into(), Some(self.count.into()))
    }
}

impl ExactSizeIterator for Tags<'_> {}

/// A tag may name a user, so none is shown.
impl fmt::Debug for Tags<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tags", self.count)
    }
}

pub(super) fn write_tags(tags: &[impl AsRef<str>], out: &mut Vec<u8>) -> Result<(), EncodeError> {
    out.extend_from_slice(&length(tags.len())?);
    for tag in tags {
        write_bytes(tag.as_ref().as_bytes(), out)?;
    }
    Ok(())
}

pub(super) fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), EncodeError> {
    out.extend_from_slice(&length(bytes.len())?);
    out.extend_from_slice(bytes);
    Ok(())
}

/// Takes the tags off the front of `body`.
pub(super) fn split_tags<'a>(body: &mut &'a [u8]) -> Result<Tags<'a>, Refusal> {
    let count = split_length(body)?;
    let bytes = *body;
    for _ in 0..count {
        std::str::from_utf8(split(body)?).map_err(|_| Refusal::Length)?;
    }
    let bytes = &bytes[..bytes.len() - body.len()];
    Ok(Tags { count, bytes })
}

/// Takes bytes with their length off the front of `body`.
pub(super) fn split<'a>(body: &mut &'a [u8]) -> Result<&'a [u8], Refusal> {
    let length = split_length(body)?.into();
    let (bytes, rest) = body.split_at_checked(length).ok_or(Refusal::Length)?;
    *body = rest;
    Ok(bytes)
}

fn split_length(body: &mut &[u8]) -> Result<u16, Refusal> {
    let (length, rest) = body.split_first_chunk().ok_or(Refusal::Length)?;
    *body = rest;
    Ok(u16::from_le_bytes(*length))
}

fn length(length: usize) -> Result<[u8; 2], EncodeError> {
    let length = u16::try_from(length).map_err(|_| EncodeError::TooLong)?;
    Ok(length.to_le_bytes())
}
