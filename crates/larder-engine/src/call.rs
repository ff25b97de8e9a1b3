//! One call, counted once.

use std::sync::Arc;

use larder_core::LoadError;

use crate::event::What;
use crate::observe;
use crate::outcome::Outcome;
use crate::stats::Counters;

/// A call under way; dropped before it ended it counts as abandoned.
pub(crate) struct Call<'a> {
    cache: &'a Arc<str>,
    counters: &'a Counters,
    ended: bool,
}

impl<'a> Call<'a> {
    pub(crate) fn begin(cache: &'a Arc<str>, counters: &'a Counters) -> Self {
        Self {
            cache,
            counters,
            ended: false,
        }
    }

    /// Ends a call that found nothing and is no answer.
    pub(crate) fn missed(mut self) {
        self.ended = true;
        self.counters.happened(What::Missed);
    }

    pub(crate) fn answered<T>(self, answer: &Result<(T, Outcome), LoadError>) {
        self.end(match answer {
            Ok((_, outcome)) => *outcome,
            Err(error) => Outcome::Failed { kind: error.kind() },
        });
    }

    pub(crate) fn end(mut self, outcome: Outcome) {
        self.ended = true;
        self.counters.happened(What::Answered(outcome));
        observe::record(self.cache, outcome);
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.counters.happened(What::Abandoned);
        }
    }
}
