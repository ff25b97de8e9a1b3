//! What is left to a value that is being read.

use std::cell::Cell;

use serde::de::Error;

use crate::DecodeError;

/// What is left to a value that is being read. Shared by all that read it, in one thread.
#[derive(Debug)]
pub(crate) struct Limits {
    depth: Cell<usize>,
    /// Where the stack was when reading began.
    stack: usize,
    elements: Cell<usize>,
    /// The formats' errors have no room for a reason.
    exceeded: Cell<Option<DecodeError>>,
}

impl Limits {
    pub(crate) fn new(depth: usize, elements: usize) -> Self {
        Self {
            depth: Cell::new(depth),
            stack: stack(),
            elements: Cell::new(elements),
            exceeded: Cell::new(None),
        }
    }

    /// Which limit an error came from, if it came from one.
    pub(crate) fn exceeded(&self) -> Option<DecodeError> {
        self.exceeded.get()
    }

    /// Begins a value that holds others.
    #[inline]
    pub(super) fn enter<E: Error>(&self) -> Result<(), E> {
        self.take(&self.depth, 1, DecodeError::TooDeep)?;
        if self.stack.abs_diff(stack()) > MOST_STACK {
            return Err(self.exceed(DecodeError::TooDeep));
        }
        Ok(())
    }

    /// Ends it.
    #[inline]
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
            return Err(self.exceed(error));
        };
        left.set(rest);
        Ok(())
    }

    #[cold]
    fn exceed<E: Error>(&self, error: DecodeError) -> E {
        self.exceeded.set(Some(error));
        E::custom(error)
    }
}

/// The stack that a value may take, a quarter of a usual thread's. Levels alone do not bound it: one
/// level of a large struct takes as much as ten of a small one, or a hundred in an unoptimised build.
const MOST_STACK: usize = 512 * 1024;

/// Where the stack is now, roughly.
#[inline]
fn stack() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&here)).addr()
}
