//! `/delay/{seconds}` and `/blocking/{seconds}`.

use hyper::StatusCode;
use larder_domain::{SourceError, SourceErrorKind};
use serde::Serialize;

use super::seconds;
use crate::Delays;
use crate::call::{Call, add_read};
use crate::json;
use crate::problem::Problem;
use crate::reply::Reply;

pub(crate) fn add(routes: &mut tide::Server<()>, delays: &Delays) {
    for path in ["/delay/:seconds", "/delay/"] {
        add_read(routes, path, delays, delay);
    }
    for path in ["/blocking/:seconds", "/blocking/"] {
        add_read(routes, path, delays, block);
    }
}

#[derive(Serialize)]
struct Waited {
    seconds: u64,
    /// The one that the wait ended on.
    thread: String,
}

async fn delay(call: Call<Delays>) -> Result<Reply, Problem> {
    let seconds = seconds(&call)?;
    let delays = call.service();
    let admitted = delays.admit_awaited().ok_or_else(too_many)?;
    let waited = delays.wait(seconds, admitted).await;
    waited_for(seconds, waited)
}

async fn block(call: Call<Delays>) -> Result<Reply, Problem> {
    let seconds = seconds(&call)?;
    let delays = call.service();
    let admitted = delays.admit_blocked().ok_or_else(too_many)?;
    waited_for(seconds, delays.block(seconds, admitted))
}

fn waited_for(seconds: u64, waited: Result<String, SourceError>) -> Result<Reply, Problem> {
    let thread = waited.map_err(|error| failed(&error))?;
    json::reply(StatusCode::OK, &Waited { seconds, thread })
}

fn too_many() -> Problem {
    let detail = "as many delays are under way as may be";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).retry()
}

/// What a client may know of the upstream's failure; the log gets the rest.
fn failed(error: &SourceError) -> Problem {
    tracing::warn!(kind = ?error.kind(), %error, "the upstream failed");
    match error.kind() {
        SourceErrorKind::TimedOut => Problem::new(
            StatusCode::GATEWAY_TIMEOUT,
            "the upstream took too long to answer",
        ),
        SourceErrorKind::Unavailable => {
            Problem::new(StatusCode::BAD_GATEWAY, "the upstream cannot be reached")
        }
        _ => Problem::new(
            StatusCode::BAD_GATEWAY,
            "the upstream gave no answer that could be used",
        ),
    }
}
