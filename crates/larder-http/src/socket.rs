//! The socket as hyper sees it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hyper::StatusCode;
use smol::io::{AsyncRead, AsyncWrite};

use crate::watch::{Phase, Watch};

/// A socket that tells the watch what passes through it.
#[derive(Debug)]
pub(crate) struct Socket<T> {
    inner: T,
    watch: Arc<Watch>,
}

impl<T> Socket<T> {
    pub(crate) fn new(inner: T, watch: Arc<Watch>) -> Self {
        Self { inner, watch }
    }

    pub(crate) fn into_inner(self) -> T {
        self.inner
    }

    /// Whether hyper answers by itself, which it does only to a head that it refuses. Its answer has no body; it is
    /// kept from the wire, and the connection says the same as a problem.
    fn refuses(&self, answer: &[u8]) -> bool {
        let refuses = matches!(self.watch.phase(), Phase::Idle | Phase::Head);
        if refuses {
            self.watch.refuse(status(answer));
        }
        refuses
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Socket<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        let read = ready!(Pin::new(&mut self.inner).poll_read(cx, buf))?;
        if read > 0 && self.watch.phase() == Phase::Idle {
            self.watch.enter(Phase::Head);
        }
        Poll::Ready(Ok(read))
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Socket<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.refuses(buf) {
            return Poll::Ready(Ok(buf.len()));
        }
        let written = ready!(Pin::new(&mut self.inner).poll_write(cx, buf))?;
        // In any other phase it is "100 Continue".
        if let phase @ (Phase::Write | Phase::Feed) = self.watch.phase() {
            self.watch.enter(phase);
        }
        Poll::Ready(Ok(written))
    }

    /// hyper flushes once all it has buffered is written: the answer is out, if that was all of it.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.inner).poll_flush(cx))?;
        let done = self.watch.whole() && !self.watch.unread();
        if done && self.watch.phase() == Phase::Write {
            self.watch.enter(Phase::Idle);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.watch.refused().is_some() {
            // The problem is still to be written.
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.inner).poll_close(cx)
    }
}

/// The status in the first bytes of an answer.
fn status(answer: &[u8]) -> StatusCode {
    let code = answer.get("HTTP/1.1 ".len().."HTTP/1.1 400".len());
    code.and_then(|code| StatusCode::from_bytes(code).ok())
        .unwrap_or(StatusCode::BAD_REQUEST)
}
