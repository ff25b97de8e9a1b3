//! Another service, as a client.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use futures_lite::FutureExt;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::client::conn::http1;
use hyper::header::{CONNECTION, HOST, HeaderValue};
use hyper::{Request, Uri};
use larder_domain::{SourceError, SourceErrorKind};
use smol::Timer;
use smol::net::TcpStream;
use smol_hyper::rt::FuturesIo;

/// The default of [`Upstream::patience`].
const PATIENCE: Duration = Duration::from_secs(5);

/// The largest body that is read, in bytes.
const MOST: usize = 64 * 1024;

/// A service that answers `GET {url}/{seconds}` so many seconds later, over HTTP/1.1 without TLS.
///
/// Each question is a connection of its own, given up some [`patience`](Self::patience) after the answer was due. Nothing
/// but a status of 2xx is an answer; its body, of which at most 64 KiB are read, is dropped.
///
/// ```
/// # use larder_http::Upstream;
/// let upstream = Upstream::parse("http://127.0.0.1:9000/wait/")?;
/// assert_eq!(upstream.to_string(), "http://127.0.0.1:9000/wait");
/// assert!(Upstream::parse("https://example.org").is_err());
/// # Ok::<(), larder_http::UpstreamError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Upstream {
    authority: HeaderValue,
    host: String,
    port: u16,
    /// Without a slash at its end.
    path: String,
    patience: Duration,
}

/// A text is no [`Upstream`]. Says why, and nothing of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamError(&'static str);

impl Upstream {
    /// The service at an address such as `http://127.0.0.1:9000/wait`; without a port at 80.
    ///
    /// # Errors
    /// It is no URL, another scheme's, or one with a user, a query or a fragment, none of which would be sent.
    pub fn parse(url: &str) -> Result<Self, UpstreamError> {
        let uri: Uri = url
            .parse()
            .map_err(|_| UpstreamError("not a URL, such as http://127.0.0.1:9000"))?;
        if uri.scheme_str() != Some("http") {
            return Err(UpstreamError("not a URL that begins with http://"));
        }
        if uri.query().is_some() || url.contains('#') {
            return Err(UpstreamError("a URL with a query or a fragment"));
        }
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        if authority.contains('@') {
            return Err(UpstreamError("a URL with a user"));
        }
        let host = uri.host().unwrap_or_default();
        let port = match authority[host.len()..].strip_prefix(':') {
            None => 80,
            Some(port) => port
                .parse()
                .map_err(|_| UpstreamError("a URL whose port is none"))?,
        };
        let nowhere = UpstreamError("a URL without a host");
        Ok(Self {
            authority: HeaderValue::try_from(authority).map_err(|_| nowhere)?,
            host: host.trim_matches(['[', ']']).to_owned(),
            port,
            path: uri.path().trim_end_matches('/').to_owned(),
            patience: PATIENCE,
        })
    }

    /// How much longer than asked for an answer may take, with the time to connect; 5 s unless set.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Asks for an answer in so many seconds, and waits for it.
    pub(crate) async fn ask(&self, seconds: u64) -> Result<(), SourceError> {
        let late = async {
            Timer::after(self.patience + Duration::from_secs(seconds)).await;
            Err(SourceError::new(
                SourceErrorKind::TimedOut,
                "no answer in time",
            ))
        };
        self.exchange(seconds).or(late).await
    }

    async fn exchange(&self, seconds: u64) -> Result<(), SourceError> {
        let socket = TcpStream::connect((self.host.as_str(), self.port)).await;
        let socket = socket.map_err(SourceError::unavailable)?;
        let (mut sender, connection) = http1::handshake(FuturesIo::new(socket))
            .await
            .map_err(SourceError::unavailable)?;
        let driven = async {
            // Its failure is the answer's too.
            let _ = connection.await;
            std::future::pending().await
        };
        let answer = async {
            let answer = sender.send_request(self.request(seconds)?).await;
            let answer = answer.map_err(SourceError::unavailable)?;
            if !answer.status().is_success() {
                let status = format!("it answered {}", answer.status().as_u16());
                return Err(SourceError::new(SourceErrorKind::Broken, status));
            }
            let body = Limited::new(answer.into_body(), MOST).collect().await;
            body.map(drop).map_err(SourceError::unavailable)
        };
        answer.or(driven).await
    }

    fn request(&self, seconds: u64) -> Result<Request<Empty<Bytes>>, SourceError> {
        Request::get(format!("{}/{seconds}", self.path))
            .header(HOST, &self.authority)
            .header(CONNECTION, "close")
            .body(Empty::new())
            .map_err(|error| SourceError::new(SourceErrorKind::Broken, error))
    }
}

impl fmt::Display for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let authority = self.authority.to_str().unwrap_or_default();
        write!(f, "http://{authority}{}", self.path)
    }
}

impl fmt::Display for UpstreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for UpstreamError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        for (url, host, port, path) in [
            ("http://localhost", "localhost", 80, ""),
            ("http://localhost:9/", "localhost", 9, ""),
            ("HTTP://127.0.0.1:9000/a/b/", "127.0.0.1", 9000, "/a/b"),
            ("http://[::1]:9000/a", "::1", 9000, "/a"),
        ] {
            let upstream = Upstream::parse(url).expect(url);
            assert_eq!(
                (&*upstream.host, upstream.port, &*upstream.path),
                (host, port, path)
            );
        }
    }

    #[test]
    fn what_would_not_be_asked_is_refused() {
        for url in [
            "",
            "localhost:9000",
            "/delay",
            "https://localhost",
            "ftp://localhost",
            "http://",
            "http:///delay",
            "http://:secret@localhost",
            "http://localhost?a=b",
            "http://localhost/#a",
            "http://localhost:99999",
        ] {
            let refused = Upstream::parse(url).expect_err(url).to_string();
            assert!(!refused.contains("secret"));
        }
    }
}
