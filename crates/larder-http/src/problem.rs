//! Errors as their clients see them: problem details of RFC 9457.

use std::borrow::Cow;

use hyper::StatusCode;
use hyper::header::{ALLOW, CONNECTION, HeaderName, HeaderValue, RETRY_AFTER, UPGRADE};
use serde::Serialize;

use crate::reply::Reply;

const TYPE: HeaderValue = HeaderValue::from_static("application/problem+json");

/// An error on its way to a client. What it says never holds a cause, a path or a value from inside.
///
/// One word, so that the results of handlers stay small.
#[derive(Debug)]
pub(crate) struct Problem(Box<Details>);

#[derive(Debug, Serialize)]
struct Details {
    /// No types of our own: status and title say it all.
    r#type: &'static str,
    title: &'static str,
    #[serde(serialize_with = "as_number")]
    status: StatusCode,
    detail: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<Cow<'static, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<Cow<'static, str>>,
    #[serde(skip)]
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, detail: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Details {
            r#type: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status,
            detail: detail.into(),
            parameter: None,
            field: None,
            headers: Vec::new(),
        }))
    }

    pub(crate) fn bad_request(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// A parameter of the path or the query does not say what it must.
    pub(crate) fn parameter(name: &'static str, detail: impl Into<Cow<'static, str>>) -> Self {
        let mut problem = Self::bad_request(detail);
        problem.0.parameter = Some(name.into());
        problem
    }

    /// There is no parameter of a name that the client has given.
    pub(crate) fn unknown_parameter(
        name: impl Into<String>,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        let mut problem = Self::bad_request(detail);
        problem.0.parameter = Some(Cow::Owned(name.into()));
        problem
    }

    /// A field of the body does not hold what it must.
    pub(crate) fn field(
        name: impl Into<Cow<'static, str>>,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        let mut problem = Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail);
        problem.0.field = Some(name.into());
        problem
    }

    /// The method is not one of `allow`.
    pub(crate) fn method(allow: &'static str) -> Self {
        let detail = format!("this resource answers {allow}");
        Self::new(StatusCode::METHOD_NOT_ALLOWED, detail)
            .with(ALLOW, HeaderValue::from_static(allow))
    }

    /// What is asked for cannot be told from a part of it over HTTP/1.0.
    pub(crate) fn upgrade() -> Self {
        let detail = "HTTP/1.0 cannot show whether a stream is whole; ask by HTTP/1.1";
        Self::new(StatusCode::UPGRADE_REQUIRED, detail)
            .with(UPGRADE, HeaderValue::from_static("HTTP/1.1"))
    }

    /// What failed may work a second later.
    pub(crate) fn retry(self) -> Self {
        self.with(RETRY_AFTER, HeaderValue::from_static("1"))
    }

    /// The connection cannot be used further, because the rest of the request will not be read.
    pub(crate) fn closing(self) -> Self {
        self.with(CONNECTION, HeaderValue::from_static("close"))
    }

    pub(crate) fn into_reply(self) -> Reply {
        let mut reply = Reply::new(self.0.status, TYPE, self.0.to_json());
        for (name, value) in self.0.headers {
            reply = reply.with(name, value);
        }
        reply
    }

    /// The whole answer as bytes, for a connection whose parser has given up; the connection must be closed after it.
    pub(crate) fn to_wire(&self) -> Vec<u8> {
        let body = self.0.to_json();
        let head = format!(
            "HTTP/1.1 {} {}\r\ncontent-type: application/problem+json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            self.0.status.as_str(),
            self.0.title,
            body.len(),
        );
        [head.into_bytes(), body].concat()
    }

    fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.push((name, value));
        self
    }
}

impl Details {
    fn to_json(&self) -> Vec<u8> {
        // Strings and a number: nothing that could fail to serialize.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn as_number<S: serde::Serializer>(status: &StatusCode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u16(status.as_u16())
}
