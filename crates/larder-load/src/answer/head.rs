//! The head of an answer over HTTP: where the answer ends, and what comes of the connection.

use std::str;

use httparse::{EMPTY_HEADER, Response, Status};

use crate::failure::Failure;

/// What a head says.
#[derive(Debug)]
pub(super) struct Head {
    /// In bytes, with the empty line.
    pub(super) length: usize,
    pub(super) status: u16,
    pub(super) body: Body,
    pub(super) keep_alive: bool,
}

/// How a body ends (RFC 9112, 6.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    Sized(u64),
    Chunked,
    /// With the connection.
    UntilClosed,
}

impl Head {
    /// Reads a head, if all of it is there.
    pub(super) fn parse(bytes: &[u8]) -> Result<Option<Self>, Failure> {
        let mut headers = [EMPTY_HEADER; 64];
        let mut response = Response::new(&mut headers);
        let broken = Failure::Broken("no head of HTTP");
        let Status::Complete(length) = response.parse(bytes).map_err(|_| broken)? else {
            return Ok(None);
        };
        let mut head = Self {
            length,
            status: response.code.unwrap_or_default(),
            body: Body::UntilClosed,
            keep_alive: response.version == Some(1),
        };
        for header in response.headers.iter() {
            head.header(header.name, header.value)?;
        }
        Ok(Some(head))
    }

    fn header(&mut self, name: &str, value: &[u8]) -> Result<(), Failure> {
        let last_of = |value: &str| {
            value
                .rsplit(',')
                .next()
                .is_some_and(|last| last.trim().eq_ignore_ascii_case("chunked"))
        };
        let text = str::from_utf8(value).unwrap_or_default();
        if name.eq_ignore_ascii_case("transfer-encoding") {
            self.body = if last_of(text) {
                Body::Chunked
            } else {
                Body::UntilClosed
            };
        } else if name.eq_ignore_ascii_case("content-length") {
            let length = text
                .trim()
                .parse()
                .map_err(|_| Failure::Broken("a length that is none"))?;
            match self.body {
                // Chunks win over a length, wherever it stands.
                Body::Chunked => {}
                Body::Sized(other) if other != length => {
                    return Err(Failure::Broken("two lengths"));
                }
                _ => self.body = Body::Sized(length),
            }
        } else if name.eq_ignore_ascii_case("connection") {
            for word in text.split(',').map(str::trim) {
                if word.eq_ignore_ascii_case("close") {
                    self.keep_alive = false;
                } else if word.eq_ignore_ascii_case("keep-alive") {
                    self.keep_alive = true;
                }
            }
        }
        Ok(())
    }
}
