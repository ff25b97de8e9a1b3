//! Requests on their way in.

use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body, Incoming};
use hyper::{Request, StatusCode, Version};
use tide::http::{self, Url};

use crate::problem::Problem;
use crate::target;

/// A request's body, read whole. It passes the router as an extension: http-types never sees it, nor the headers,
/// whose non-ASCII values it would not survive.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) body: Bytes,
    pub(crate) version: Version,
}

/// Reads a request to its end and turns it into the router's.
///
/// # Errors
/// The problem to answer. The request has then not been read to its end.
pub(crate) async fn receive(
    base: &Url,
    most: usize,
    request: Request<Incoming>,
) -> Result<http::Request, Problem> {
    target::check_head(&request)?;
    let method = target::method(request.method())?;
    let url = target::url(base, request.uri())?;
    let version = request.version();
    let body = body(request.into_body(), most).await?;
    let mut routed = http::Request::new(method, url);
    routed.ext_mut().insert(Received { body, version });
    Ok(routed)
}

async fn body(body: Incoming, most: usize) -> Result<Bytes, Problem> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    // Before anything is read, so that a client which waits for "100 Continue" never sends it.
    if body.size_hint().lower() > most as u64 {
        return Err(too_large(most));
    }
    match Limited::new(body, most).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large(most)),
        Err(_) => Err(Problem::bad_request(
            "the body ended early or is not well framed",
        )),
    }
}

fn too_large(most: usize) -> Problem {
    let detail = format!("a body may have at most {most} bytes");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail)
}
