//! What is left to a value that is being read.

use std::cell::Cell;

use serde::de::Error;

use crate::DecodeError;

/// What is left to a value that is being read. Shared by all that read it, in one thread.
#[derive(Debug)]
pub(crate) struct Limits {
    depth: Cell<usize>,
    elements: Cell<usize>,
    /// The formats' errors have no room for a reason.
    exceeded: Cell<Option<DecodeError>>,
}

impl Limits {
    pub(crate) const fn new(depth: usize, elements: usize) -> Self {
        Self {
            depth: Cell::new(depth),
            elements: Cell::new(elements),
            exceeded: Cell::new(None),
        }
    }

    /// Which limit an error came from, if it came from one.
    pub(crate) fn exceeded(&self) -> Option<DecodeError> {
        self.exceeded.get()
    }

    /// Begins a value that holds others.
    pub(super) fn enter<E: Error>(&self) -> Result<(), E> {
        self.take(&self.depth, 1, DecodeError::TooDeep)
    }

    /// Ends it. Not called after an error, which ends everything.
    pub(super) fn leave(&self) {
        self.depth.set(self.depth.get() + 1);
    }

    /// Takes elements before there are any, so that what is allocated for them is covered, however
    /// many sequences within each other claim some.
    pub(super) fn claim<E: Error>(&self, elements: usize) -> Result<(), E> {
        self.take(&self.elements, elements, DecodeError::TooMany)
    }

    fn take<E: Error>(
        &self,
        left: &Cell<usize>,
        count: usize,
        error: DecodeError,
    ) -> Result<(), E> {
        let Some(rest) = left.get().checked_sub(count) else {
            self.exceeded.set(Some(error));
            return Err(E::custom(error));
        };
        left.set(rest);
        Ok(())
    }
}
