//! What one call of a source does.

use std::future::pending;
use std::time::Duration;

use larder_core::Runtime;

use crate::{Gate, KitError};

/// What one call of a [`Loader`](crate::Loader) does: it waits, if told to, and then ends in one
/// way.
#[derive(Debug, Clone)]
pub struct Step {
    gate: Option<Gate>,
    delay: Duration,
    end: End,
}

#[derive(Debug, Clone)]
enum End {
    Echo,
    Value(String),
    Absent,
    Error(KitError),
    Panic(String),
    Never,
}

impl Step {
    /// Gives `value-for-<key>`.
    #[must_use]
    pub fn echo() -> Self {
        End::Echo.into()
    }

    /// Gives this value.
    #[must_use]
    pub fn value(value: impl Into<String>) -> Self {
        End::Value(value.into()).into()
    }

    /// Finds nothing.
    #[must_use]
    pub fn absent() -> Self {
        End::Absent.into()
    }

    /// Fails with this text.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        End::Error(KitError::new(text)).into()
    }

    /// Panics with this text.
    #[must_use]
    pub fn panic(text: impl Into<String>) -> Self {
        End::Panic(text.into()).into()
    }

    /// Never ends.
    #[must_use]
    pub fn never() -> Self {
        End::Never.into()
    }

    /// Waits at `gate` first.
    #[must_use]
    pub fn at(mut self, gate: &Gate) -> Self {
        self.gate = Some(gate.clone());
        self
    }

    /// Waits so long first, after the gate if there is one.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    pub(super) async fn play(
        self,
        runtime: &dyn Runtime,
        key: &str,
    ) -> Result<Option<String>, KitError> {
        if let Some(gate) = self.gate {
            gate.wait().await;
        }
        if !self.delay.is_zero() {
            runtime.sleep(self.delay).await;
        }
        match self.end {
            End::Echo => Ok(Some(format!("value-for-{key}"))),
            End::Value(value) => Ok(Some(value)),
            End::Absent => Ok(None),
            End::Error(error) => Err(error),
            End::Panic(text) => panic!("{text}"),
            End::Never => pending().await,
        }
    }
}

impl From<End> for Step {
    fn from(end: End) -> Self {
        Self {
            gate: None,
            delay: Duration::ZERO,
            end,
        }
    }
}
