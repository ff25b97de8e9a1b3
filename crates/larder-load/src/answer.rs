//! Answers as they come in: bytes in, and whether it is whole.

mod chunks;
mod head;
mod line;
mod message;
mod replies;

use crate::failure::Failure;
use message::Message;
use replies::Replies;

/// An answer under way. Fed with the bytes of one connection in order; neither reads nor waits.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    Http(Message),
    Redis(Replies),
}

/// A whole answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Whole {
    pub(crate) verdict: Result<(), Failure>,
    /// Whether the connection takes another request.
    pub(crate) reusable: bool,
}

impl Answer {
    /// The answer to a request over HTTP; one to `HEAD` has no body.
    pub(crate) fn http(head_only: bool) -> Self {
        Self::Http(Message::new(head_only))
    }

    /// The replies to so many commands.
    pub(crate) fn redis(commands: usize) -> Self {
        Self::Redis(Replies::new(commands))
    }

    /// Takes the next bytes; none means that the other side has closed.
    ///
    /// # Errors
    /// They are no answer, or the answer ended too early: the connection is of no use any more.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<Option<Whole>, Failure> {
        if bytes.is_empty() {
            return self.closed().map(Some);
        }
        match self {
            Self::Http(message) => message.feed(bytes),
            Self::Redis(replies) => replies.feed(bytes),
        }
    }

    fn closed(&self) -> Result<Whole, Failure> {
        match self {
            Self::Http(message) => message.closed(),
            Self::Redis(_) => Err(Failure::Closed),
        }
    }
}

/// Feeds a text in one piece, and byte by byte, and in every two pieces: the same must come out.
#[cfg(test)]
fn fed(new: impl Fn() -> Answer, text: &[u8]) -> Result<Option<Whole>, Failure> {
    let in_pieces = |pieces: &[&[u8]]| {
        let mut answer = new();
        let mut last = Ok(None);
        for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
            if !matches!(last, Ok(None)) {
                return Err(Failure::Broken("whole before its end"));
            }
            last = answer.feed(piece);
        }
        last
    };
    let whole = in_pieces(&[text]);
    if whole.is_ok() {
        for at in 1..text.len() {
            assert_eq!(in_pieces(&[&text[..at], &text[at..]]), whole, "cut at {at}");
        }
        let bytes: Vec<_> = text.chunks(1).collect();
        assert_eq!(in_pieces(&bytes), whole);
    }
    whole
}
