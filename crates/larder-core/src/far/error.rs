//! What went wrong with a far operation.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// What went wrong with a far operation, and whether it may have happened all the same.
#[derive(Debug, Clone)]
pub struct FarError {
    certainty: Certainty,
    in_part: bool,
    busy: bool,
    source: Arc<dyn Error + Send + Sync>,
}

/// Whether an operation that failed may have happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there is no third")]
pub enum Certainty {
    /// It was never sent: nothing happened.
    NotSent,
    /// It was sent and not answered: it may have happened, or may happen later.
    Unknown,
}

impl FarError {
    /// The error of an operation that was never sent.
    pub fn not_sent(source: impl Error + Send + Sync + 'static) -> Self {
        Self::new(Certainty::NotSent, source)
    }

    /// The error of an operation that was never sent because too many are under way. It says nothing
    /// of whether the store answers, so nobody leaves the store alone for it.
    pub fn busy(source: impl Error + Send + Sync + 'static) -> Self {
        Self {
            busy: true,
            ..Self::not_sent(source)
        }
    }

    /// The error of an operation that may have happened.
    pub fn unknown(source: impl Error + Send + Sync + 'static) -> Self {
        Self::new(Certainty::Unknown, source)
    }

    fn new(certainty: Certainty, source: impl Error + Send + Sync + 'static) -> Self {
        Self {
            certainty,
            in_part: false,
            busy: false,
            source: Arc::new(source),
        }
    }

    /// Says that a part of the store is gone and the rest serves: operations on other keys may do
    /// well, so it is no reason to leave them.
    #[must_use]
    pub const fn in_part(mut self) -> Self {
        self.in_part = true;
        self
    }

    /// Whether the rest of the store serves.
    #[must_use]
    pub const fn is_in_part(&self) -> bool {
        self.in_part
    }

    /// Whether it may have happened.
    #[must_use]
    pub const fn certainty(&self) -> Certainty {
        self.certainty
    }

    /// Whether it was not sent because too many operations are under way.
    #[must_use]
    pub const fn is_busy(&self) -> bool {
        self.busy
    }
}

impl fmt::Display for FarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let may = match self.certainty {
            Certainty::NotSent => "not sent",
            Certainty::Unknown => "no answer",
        };
        write!(f, "far tier: {may}: {}", self.source)
    }
}

impl Error for FarError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.source.as_ref())
    }
}
