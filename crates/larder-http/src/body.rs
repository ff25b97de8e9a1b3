//! The body of an answer: there at once, or piece by piece.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_lite::Stream;
use http_body_util::Full;
use hyper::body::{Frame, SizeHint};
use larder_domain::SourceError;

use crate::watch::{Phase, Watch};

/// Pieces of a body that are still to come.
type Pieces = Pin<Box<dyn Stream<Item = Result<Bytes, SourceError>> + Send>>;

/// What a handler gives.
pub(crate) enum Content {
    Whole(Bytes),
    /// In a lock only so that it passes the router, which wants `Sync`; nobody shares it.
    Pieces(Mutex<Pieces>),
}

/// What hyper is given.
pub(crate) enum Body {
    Whole(Full<Bytes>),
    Flow(Flow),
}

/// A body whose length nobody knows yet. hyper sends it in chunks; after an error it closes the connection without the
/// last of them, so that who reads can tell a part from the whole.
pub(crate) struct Flow {
    pieces: Pieces,
    watch: Arc<Watch>,
}

impl Content {
    pub(crate) fn pieces(
        pieces: impl Stream<Item = Result<Bytes, SourceError>> + Send + 'static,
    ) -> Self {
        Self::Pieces(Mutex::new(Box::pin(pieces)))
    }

    pub(crate) fn into_body(self, watch: &Arc<Watch>) -> Body {
        match self {
            Self::Whole(bytes) => Body::Whole(Full::new(bytes)),
            Self::Pieces(pieces) => {
                watch.flow(true);
                Body::Flow(Flow {
                    pieces: pieces.into_inner().unwrap_or_else(PoisonError::into_inner),
                    watch: Arc::clone(watch),
                })
            }
        }
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = SourceError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, SourceError>>> {
        match self.get_mut() {
            Self::Whole(full) => Pin::new(full)
                .poll_frame(cx)
                .map_err(|never| match never {}),
            Self::Flow(flow) => flow.poll(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(full) => full.is_end_stream(),
            Self::Flow(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(full) => full.size_hint(),
            Self::Flow(_) => SizeHint::default(),
        }
    }
}

impl Flow {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, SourceError>>> {
        let Poll::Ready(piece) = self.pieces.as_mut().poll_next(cx) else {
            // Not again with every poll: its time is that of the wait.
            if self.watch.phase() != Phase::Feed {
                self.watch.enter(Phase::Feed);
            }
            return Poll::Pending;
        };
        self.watch.enter(Phase::Write);
        let Some(piece) = piece else {
            self.watch.flow(false);
            return Poll::Ready(None);
        };
        if let Err(error) = &piece {
            tracing::warn!(kind = ?error.kind(), %error, "an answer ends in its middle");
        }
        Poll::Ready(Some(piece.map(Frame::data)))
    }
}

/// Also of an answer to HEAD, which hyper does not ask for its body.
impl Drop for Flow {
    fn drop(&mut self) {
        self.watch.flow(false);
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Whole(_) => "Whole",
            Self::Pieces(_) => "Pieces",
        })
    }
}
