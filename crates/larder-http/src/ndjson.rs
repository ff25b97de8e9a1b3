//! Values as lines of JSON.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_lite::Stream;
use larder_domain::{SourceError, SourceErrorKind};
use serde::Serialize;

/// About how many bytes go out together, if as many values are there.
const PIECE: usize = 16 * 1024;

/// The values of a stream as JSON, a line each: as many together as are there, so that none waits for another.
#[derive(Debug)]
pub(crate) struct Lines<S> {
    values: S,
    /// What ends it after the piece that was given last.
    end: Option<Option<SourceError>>,
}

impl<S> Lines<S> {
    pub(crate) fn new(values: S) -> Self {
        Self { values, end: None }
    }
}

impl<S, T> Stream for Lines<S>
where
    S: Stream<Item = Result<T, SourceError>> + Unpin,
    T: Serialize,
{
    type Item = Result<Bytes, SourceError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut piece = Vec::new();
        while self.end.is_none() && piece.len() < PIECE {
            match Pin::new(&mut self.values).poll_next(cx) {
                Poll::Ready(Some(value)) => {
                    if let Err(error) = value.and_then(|value| line(&value, &mut piece)) {
                        self.end = Some(Some(error));
                    }
                }
                Poll::Ready(None) => self.end = Some(None),
                Poll::Pending if piece.is_empty() => return Poll::Pending,
                Poll::Pending => break,
            }
        }
        if !piece.is_empty() {
            return Poll::Ready(Some(Ok(piece.into())));
        }
        Poll::Ready(self.end.as_mut().and_then(Option::take).map(Err))
    }
}

fn line(value: &impl Serialize, piece: &mut Vec<u8>) -> Result<(), SourceError> {
    let before = piece.len();
    if let Err(error) = serde_json::to_writer(&mut *piece, value) {
        piece.truncate(before);
        return Err(SourceError::new(SourceErrorKind::Broken, error));
    }
    piece.push(b'\n');
    Ok(())
}

#[cfg(test)]
mod tests {
    use futures_lite::future::block_on;
    use futures_lite::{StreamExt, stream};

    use super::*;

    fn pieces(values: Vec<Result<String, SourceError>>) -> Vec<Result<usize, SourceError>> {
        let lines = Lines::new(stream::iter(values));
        block_on(lines.map(|piece| piece.map(|piece| piece.len())).collect())
    }

    #[test]
    fn what_is_there_goes_out_together_and_an_error_after_all_before_it() {
        let lost = || Err(SourceError::unavailable("lost"));
        let two = pieces(vec![Ok("a".into()), Ok("b".into()), lost(), Ok("c".into())]);
        assert!(matches!(two[..], [Ok(8), Err(_)]), "{two:?}");
        assert!(matches!(pieces(vec![lost()])[..], [Err(_)]));
        assert!(pieces(Vec::new()).is_empty());
        let large = pieces(vec![Ok("a".repeat(PIECE)), Ok("b".into())]);
        assert!(matches!(large[..], [Ok(_), Ok(4)]), "{large:?}");
    }
}
