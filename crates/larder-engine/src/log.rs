//! Spans and lines for `tracing`: names of this crate and caches' names, never a key, a value, a tag
//! or the text of an error.

#[cfg(feature = "tracing")]
pub(crate) use on::{far, hits, load, say};

#[cfg(not(feature = "tracing"))]
pub(crate) use off::{far, hits, load, say};

#[cfg(feature = "tracing")]
mod on {
    use std::future::Future;

    use tracing::{Instrument, Level, debug, debug_span, enabled, info, trace, trace_span, warn};

    use crate::event::{Tier, What};
    use crate::outcome::Outcome;

    /// Whether hits are to be told.
    #[inline]
    pub(crate) fn hits() -> bool {
        enabled!(target: "larder", Level::TRACE)
    }

    /// A load, in its span.
    pub(crate) fn load<F: Future>(
        cache: &str,
        load: F,
    ) -> impl Future<Output = F::Output> + use<F> {
        load.instrument(debug_span!(target: "larder", "load", cache))
    }

    /// An operation of the far tier, in its span.
    pub(crate) fn far<F: Future>(
        cache: &str,
        operation: F,
    ) -> impl Future<Output = F::Output> + use<F> {
        operation.instrument(trace_span!(target: "larder", "far", cache))
    }

    /// A line for what happened: a warning or a notice for a change of state, once, and details of
    /// single calls for those who ask.
    pub(crate) fn say(cache: &str, what: &What) {
        match what {
            What::FarDown => {
                warn!(target: "larder", cache, "the far tier does not answer and is left alone");
            }
            What::FarUp => info!(target: "larder", cache, "the far tier answers again"),
            What::Blind => warn!(target: "larder", cache, "nothing is heard of other nodes"),
            What::Sighted => info!(target: "larder", cache, "other nodes are heard again"),
            What::Drained => {
                info!(target: "larder", cache, "the far tier has acknowledged what waited");
            }
            What::Switched(mode) => {
                info!(target: "larder", cache, mode = mode.name(), "switched");
            }
            What::RefreshFailed { kind } => {
                debug!(target: "larder", cache, kind = kind.name(), "a refresh failed");
            }
            What::Queued | What::Undecodable => {
                debug!(target: "larder", cache, what = what.name());
            }
            What::Answered(outcome) => answered(cache, outcome),
            What::Stored(tier) | What::Refused(tier) | What::Unfit(tier) => {
                let tier = match tier {
                    Tier::Near => "near",
                    Tier::Far => "far",
                };
                trace!(target: "larder", cache, what = what.name(), tier);
            }
            _ => trace!(target: "larder", cache, what = what.name()),
        }
    }

    fn answered(cache: &str, outcome: &Outcome) {
        let why = match outcome {
            Outcome::Loaded { why, .. } => Some(why.name()),
            Outcome::Failed { kind } => Some(kind.name()),
            _ => None,
        };
        let outcome = outcome.detail();
        trace!(target: "larder", cache, outcome, why, "answered");
    }
}

#[cfg(not(feature = "tracing"))]
mod off {
    use std::future::Future;

    use crate::event::What;

    #[inline(always)]
    pub(crate) const fn hits() -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn load<F: Future>(_: &str, load: F) -> F {
        load
    }

    #[inline(always)]
    pub(crate) fn far<F: Future>(_: &str, operation: F) -> F {
        operation
    }

    #[inline(always)]
    pub(crate) const fn say(_: &str, _: &What) {}
}
