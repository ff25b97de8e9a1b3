//! Answers on their way through the router.

use std::sync::Arc;

use bytes::Bytes;
use futures_lite::Stream;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use larder_domain::SourceError;

use crate::body::{Body, Content};
use crate::watch::Watch;

/// An answer ready for the wire. It passes the router as an extension, so nothing is copied or converted.
#[derive(Debug)]
pub(crate) struct Reply(Response<Content>);

impl Reply {
    pub(crate) fn new(
        status: StatusCode,
        content_type: HeaderValue,
        body: impl Into<Bytes>,
    ) -> Self {
        Self::of(status, content_type, Content::Whole(body.into()))
    }

    /// 200, with a body that comes piece by piece. An error in it cuts the connection, so that nobody takes what came
    /// before it for the whole.
    pub(crate) fn flowing(
        content_type: HeaderValue,
        pieces: impl Stream<Item = Result<Bytes, SourceError>> + Send + 'static,
    ) -> Self {
        Self::of(StatusCode::OK, content_type, Content::pieces(pieces))
    }

    fn of(status: StatusCode, content_type: HeaderValue, content: Content) -> Self {
        let mut response = Response::new(content);
        *response.status_mut() = status;
        response.headers_mut().insert(CONTENT_TYPE, content_type);
        Self(response)
    }

    /// 204.
    pub(crate) fn empty() -> Self {
        let mut response = Response::new(Content::Whole(Bytes::new()));
        *response.status_mut() = StatusCode::NO_CONTENT;
        Self(response)
    }

    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers_mut().insert(name, value);
        self
    }

    pub(crate) fn into_wire(self, watch: &Arc<Watch>) -> Response<Body> {
        self.0.map(|content| content.into_body(watch))
    }
}

impl From<Reply> for tide::Response {
    fn from(reply: Reply) -> Self {
        let mut carrier = Self::new(reply.0.status().as_u16());
        carrier.insert_ext(reply);
        carrier
    }
}
