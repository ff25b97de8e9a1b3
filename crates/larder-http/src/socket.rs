//! The socket as hyper sees it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

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

    fn wrote(&self) {
        match self.watch.phase() {
            // hyper answers by itself only a head that it refuses.
            Phase::Idle | Phase::Head => {
                self.watch.answer_early();
                self.watch.enter(Phase::Write);
            }
            Phase::Write => self.watch.enter(Phase::Write),
            // "100 Continue".
            Phase::Body | Phase::Work => {}
        }
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
        let written = ready!(Pin::new(&mut self.inner).poll_write(cx, buf))?;
        self.wrote();
        Poll::Ready(Ok(written))
    }

    /// hyper flushes once all it has buffered is written: the answer is out.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.inner).poll_flush(cx))?;
        if self.watch.phase() == Phase::Write && !self.watch.unread() {
            self.watch.enter(Phase::Idle);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_close(cx)
    }
}
