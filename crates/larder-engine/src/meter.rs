//! Load times, and statistics, as metrics.
//!
//! The labels are closed sets: a cache's name, and names of this crate. No key, no value, no text of
//! an error is ever one, so that the number of series is that of caches times a constant.

use std::time::Duration;

use larder_core::LoadError;

#[cfg(feature = "metrics")]
mod publish;

/// Records how long a load took.
#[cfg(feature = "metrics")]
pub(crate) fn loaded<T>(
    cache: &std::sync::Arc<str>,
    took: Duration,
    result: &Result<T, LoadError>,
) {
    let result = if result.is_ok() { "ok" } else { "error" };
    let labels = [
        ("cache", metrics::SharedString::from(cache.to_string())),
        ("result", metrics::SharedString::const_str(result)),
    ];
    metrics::histogram!("larder_load_seconds", &labels).record(took);
}

#[cfg(not(feature = "metrics"))]
pub(crate) fn loaded<T>(_: &std::sync::Arc<str>, _: Duration, _: &Result<T, LoadError>) {}
