//! Lines, as both protocols have them.

use crate::failure::Failure;

/// The longest line that is taken, in bytes.
const MOST: usize = 4096;

/// A line that may come in pieces.
#[derive(Debug, Clone, Default)]
pub(super) struct Line(Vec<u8>);

impl Line {
    /// Takes bytes up to the end of the line and gives `read` the line without it, or takes all of them.
    ///
    /// # Errors
    /// The line is too long, or what `read` gives.
    pub(super) fn take<T>(
        &mut self,
        bytes: &mut &[u8],
        read: impl FnOnce(&[u8]) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let (mine, rest) = bytes.split_at(end.map_or(bytes.len(), |end| end + 1));
        *bytes = rest;
        if self.0.len() + mine.len() > MOST {
            return Err(Failure::Broken("a line without an end"));
        }
        if end.is_some() && self.0.is_empty() {
            return read(trimmed(mine)).map(Some);
        }
        self.0.extend_from_slice(mine);
        if end.is_none() {
            return Ok(None);
        }
        let read = read(trimmed(&self.0));
        self.0.clear();
        read.map(Some)
    }
}

fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Drops up to `left` bytes from the front and counts them down.
pub(super) fn skip(left: &mut u64, bytes: &mut &[u8]) {
    let some = bytes
        .len()
        .min(usize::try_from(*left).unwrap_or(usize::MAX));
    *left -= some as u64;
    *bytes = &bytes[some..];
}
