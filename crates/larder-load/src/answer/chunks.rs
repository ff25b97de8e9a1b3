//! Bodies that come in chunks (RFC 9112, 7.1).

use std::str;

use super::line::{Line, skip};
use crate::failure::Failure;

/// A body in chunks, under way.
#[derive(Debug, Clone, Default)]
pub(super) struct Chunks {
    part: Part,
    line: Line,
}

#[derive(Debug, Clone, Copy, Default)]
enum Part {
    #[default]
    Size,
    /// Bytes still to come, with the end of the chunk's line.
    Data(u64),
    Trailers,
}

impl Chunks {
    /// Takes bytes of the body off the front; true at its end.
    pub(super) fn feed(&mut self, bytes: &mut &[u8]) -> Result<bool, Failure> {
        loop {
            if let Part::Data(left) = &mut self.part {
                skip(left, bytes);
                if *left > 0 {
                    return Ok(false);
                }
                self.part = Part::Size;
            }
            let read = match self.part {
                Part::Trailers => trailer,
                _ => size,
            };
            match self.line.take(bytes, read)? {
                None => return Ok(false),
                Some(Next::End) => return Ok(true),
                Some(Next::Part(part)) => self.part = part,
            }
        }
    }
}

enum Next {
    Part(Part),
    End,
}

fn size(line: &[u8]) -> Result<Next, Failure> {
    let digits = line.split(|byte| b"; \t".contains(byte)).next();
    let digits = digits.and_then(|digits| str::from_utf8(digits).ok());
    let size = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    match size.filter(|&size| size <= u64::MAX - 2) {
        None => Err(Failure::Broken("a chunk without a size")),
        Some(0) => Ok(Next::Part(Part::Trailers)),
        Some(size) => Ok(Next::Part(Part::Data(size + 2))),
    }
}

fn trailer(line: &[u8]) -> Result<Next, Failure> {
    let part = Next::Part(Part::Trailers);
    Ok(if line.is_empty() { Next::End } else { part })
}
