//! Answers on their way through the router.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};

/// An answer ready for the wire. It passes the router as an extension, so nothing is copied or converted.
#[derive(Debug)]
pub(crate) struct Reply(Response<Bytes>);

impl Reply {
    pub(crate) fn new(
        status: StatusCode,
        content_type: HeaderValue,
        body: impl Into<Bytes>,
    ) -> Self {
        let mut response = Response::new(body.into());
        *response.status_mut() = status;
        response.headers_mut().insert(CONTENT_TYPE, content_type);
        Self(response)
    }

    /// 204.
    pub(crate) fn empty() -> Self {
        let mut response = Response::new(Bytes::new());
        *response.status_mut() = StatusCode::NO_CONTENT;
        Self(response)
    }

    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers_mut().insert(name, value);
        self
    }

    pub(crate) fn into_wire(self) -> Response<Full<Bytes>> {
        self.0.map(Full::new)
    }
}

impl From<Reply> for tide::Response {
    fn from(reply: Reply) -> Self {
        let mut carrier = Self::new(reply.0.status().as_u16());
        carrier.insert_ext(reply);
        carrier
    }
}
