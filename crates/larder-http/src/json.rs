//! Answers in JSON, and deals from it.

use hyper::StatusCode;
use hyper::header::HeaderValue;
use larder_domain::{Deal, JsonError};
use serde::Serialize;

use crate::problem::Problem;
use crate::reply::Reply;

const TYPE: HeaderValue = HeaderValue::from_static("application/json");

/// An answer. Serializes it anew, about a microsecond a deal.
pub(crate) fn reply(status: StatusCode, answer: &impl Serialize) -> Result<Reply, Problem> {
    let body = serde_json::to_vec(answer).map_err(|error| {
        tracing::error!(%error, "an answer has no JSON form");
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the answer cannot be shown",
        )
    })?;
    Ok(Reply::new(status, TYPE, body))
}

/// Reads and checks a deal.
///
/// # Errors
/// 400 if the text is no JSON; 422 if it is no deal, naming the field if it is one.
pub(crate) fn parse(text: &[u8]) -> Result<Deal, Problem> {
    Deal::from_json(text).map_err(|error| match error {
        JsonError::Field { field, reason } => Problem::field(field, reason),
        JsonError::Syntax { .. } => Problem::bad_request(format!("the body is {error}")),
        _ => Problem::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "the body must be a JSON object",
        ),
    })
}
