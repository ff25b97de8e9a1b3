//! Handlers, one file a resource.

pub(crate) mod deals;
pub(crate) mod health;
pub(crate) mod list;

use hyper::StatusCode;
use larder_domain::{SourceError, SourceErrorKind};

use crate::problem::Problem;

/// What a client may know of a source's failure; the log gets the rest.
fn source_failed(error: &SourceError) -> Problem {
    tracing::warn!(kind = ?error.kind(), %error, "the source failed");
    match error.kind() {
        SourceErrorKind::Unavailable => Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the deals cannot be reached",
        )
        .retry(),
        SourceErrorKind::Overloaded => {
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "too much is asked at once").retry()
        }
        SourceErrorKind::TimedOut => Problem::new(
            StatusCode::GATEWAY_TIMEOUT,
            "the deals took too long to answer",
        ),
        _ => Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the request could not be answered",
        ),
    }
}
