//! Bytes by allowance.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

/// How many bytes a reader may still take; clones are the same allowance.
///
/// Granted anew for each row, it bounds what a parser gathers for one that does not end.
#[derive(Debug, Clone)]
pub(super) struct Allowance {
    most: usize,
    left: Rc<Cell<usize>>,
}

impl Allowance {
    pub(super) fn new(most: usize) -> Self {
        let left = Rc::new(Cell::new(most));
        Self { most, left }
    }

    pub(super) fn grant(&self) {
        self.left.set(self.most);
    }
}

/// A reader that fails where its allowance ends.
#[derive(Debug)]
pub(super) struct Metered<R> {
    inner: R,
    allowance: Allowance,
}

impl<R> Metered<R> {
    pub(super) fn new(inner: R, allowance: Allowance) -> Self {
        Self { inner, allowance }
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = self.allowance.left.get();
        if left == 0 {
            let text = format!("does not end within {} bytes", self.allowance.most);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        let most = buf.len().min(left);
        let read = self.inner.read(&mut buf[..most])?;
        self.allowance.left.set(left - read);
        Ok(read)
    }
}
