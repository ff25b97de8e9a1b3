//! Handlers, one file a resource.

pub(crate) mod batch;
pub(crate) mod deals;
pub(crate) mod delay;
pub(crate) mod health;
pub(crate) mod list;
pub(crate) mod openapi;
pub(crate) mod stream;
pub(crate) mod upstream;
pub(crate) mod users;

use hyper::StatusCode;
use larder_domain::{SourceError, SourceErrorKind};

use crate::Delays;
use crate::call::Call;
use crate::problem::Problem;
use crate::query;

/// What a client may know of a failure of the source of deals or users; the log gets the rest.
fn source_failed(what: &str, error: &SourceError) -> Problem {
    tracing::warn!(what, kind = ?error.kind(), %error, "the source failed");
    match error.kind() {
        SourceErrorKind::Unavailable => Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            format!("the {what} cannot be reached"),
        )
        .retry(),
        SourceErrorKind::Overloaded => {
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "too much is asked at once").retry()
        }
        SourceErrorKind::TimedOut => Problem::new(
            StatusCode::GATEWAY_TIMEOUT,
            format!("the {what} took too long to answer"),
        ),
        _ => Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the request could not be answered",
        ),
    }
}

/// The seconds in a path.
fn seconds<S>(call: &Call<S>) -> Result<u64, Problem> {
    query::number("seconds", &call.param("seconds")?, 0, Delays::MOST)
}
