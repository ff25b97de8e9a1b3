//! An answer over HTTP.

use super::Whole;
use super::chunks::Chunks;
use super::head::{Body, Head};
use super::line::skip;
use crate::failure::Failure;

/// The largest head that is taken, in bytes.
const MOST: usize = 64 * 1024;

/// An answer over HTTP under way: its head is kept until it is whole, its body never.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    head_only: bool,
    head: Vec<u8>,
    part: Part,
    status: u16,
    keep_alive: bool,
}

#[derive(Debug, Clone)]
enum Part {
    Head,
    Sized(u64),
    Chunked(Chunks),
    UntilClosed,
}

impl Message {
    pub(super) fn new(head_only: bool) -> Self {
        Self {
            head_only,
            head: Vec::new(),
            part: Part::Head,
            status: 0,
            keep_alive: true,
        }
    }

    pub(super) fn feed(&mut self, mut bytes: &[u8]) -> Result<Option<Whole>, Failure> {
        loop {
            let ended = match &mut self.part {
                Part::Head => {
                    if !self.take_head(&mut bytes)? {
                        return Ok(None);
                    }
                    continue;
                }
                Part::Sized(left) => {
                    skip(left, &mut bytes);
                    *left == 0
                }
                Part::Chunked(chunks) => chunks.feed(&mut bytes)?,
                Part::UntilClosed => return Ok(None),
            };
            if ended && !bytes.is_empty() {
                return Err(Failure::Broken("more than the answer"));
            }
            return Ok(ended.then(|| self.whole()));
        }
    }

    /// The other side has closed.
    pub(super) fn closed(&self) -> Result<Whole, Failure> {
        match self.part {
            Part::UntilClosed => Ok(self.whole()),
            _ => Err(Failure::Closed),
        }
    }

    /// Takes bytes of the head; true when it was whole and the body may begin.
    fn take_head(&mut self, bytes: &mut &[u8]) -> Result<bool, Failure> {
        let held = self.head.len();
        let mine = &bytes[..bytes.len().min(MOST - held)];
        self.head.extend_from_slice(mine);
        let Some(head) = Head::parse(&self.head)? else {
            if self.head.len() == MOST {
                return Err(Failure::Broken("a head without an end"));
            }
            *bytes = &[];
            return Ok(false);
        };
        // What was held before had no end, so the end is among the new ones.
        *bytes = &bytes[head.length - held..];
        self.head.clear();
        self.begin_body(&head);
        Ok(true)
    }

    fn begin_body(&mut self, head: &Head) {
        // An interim answer: the real one follows.
        if (100..200).contains(&head.status) {
            return;
        }
        self.status = head.status;
        self.keep_alive = head.keep_alive;
        let bare = self.head_only || [204, 304].contains(&head.status);
        self.part = match head.body {
            _ if bare => Part::Sized(0),
            Body::Sized(length) => Part::Sized(length),
            Body::Chunked => Part::Chunked(Chunks::default()),
            Body::UntilClosed => Part::UntilClosed,
        };
    }

    fn whole(&self) -> Whole {
        let failed = self.status >= 400;
        Whole {
            verdict: if failed {
                Err(Failure::Status(self.status))
            } else {
                Ok(())
            },
            reusable: self.keep_alive && !matches!(self.part, Part::UntilClosed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, fed};
    use super::*;

    fn answer(text: &str) -> Result<Option<Whole>, Failure> {
        fed(|| Answer::http(false), text.as_bytes())
    }

    fn good(reusable: bool) -> Result<Option<Whole>, Failure> {
        let verdict = Ok(());
        Ok(Some(Whole { verdict, reusable }))
    }

    #[test]
    fn answers_end_where_they_say() {
        for (reusable, text) in [
            (true, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            (true, "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"),
            (
                true,
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n!",
            ),
            (true, "HTTP/1.1 204 No Content\r\n\r\n"),
            (
                true,
                "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
            ),
            (
                true,
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n",
            ),
            (
                true,
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\nContent-Length: 1\r\n\r\n1\r\na\r\n0\r\nX: y\r\n\r\n",
            ),
            (
                false,
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\n.",
            ),
            (false, "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n."),
            (
                true,
                "HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: Keep-Alive\r\n\r\n.",
            ),
        ] {
            assert_eq!(answer(text), good(reusable), "{text:?}");
            assert_eq!(answer(&text[..text.len() - 1]), Ok(None), "{text:?}");
        }
    }

    #[test]
    fn an_answer_to_head_has_no_body() {
        let text = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";
        assert_eq!(fed(|| Answer::http(true), text), good(true));
    }

    #[test]
    fn one_may_end_with_the_connection_if_it_says_nothing_else() {
        let mut answer = Answer::http(false);
        assert_eq!(answer.feed(b"HTTP/1.1 200 OK\r\n\r\nabc"), Ok(None));
        assert_eq!(answer.feed(b""), good(false));
        for cut in [
            "",
            "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na",
        ] {
            let mut answer = Answer::http(false);
            if !cut.is_empty() {
                assert_eq!(answer.feed(cut.as_bytes()), Ok(None));
            }
            assert_eq!(answer.feed(b""), Err(Failure::Closed), "{cut:?}");
        }
    }

    #[test]
    fn a_status_from_400_is_a_failure_that_keeps_the_connection() {
        let whole = answer("HTTP/1.1 503 Later\r\nContent-Length: 1\r\n\r\n.");
        let whole = whole.unwrap().unwrap();
        assert_eq!(whole.verdict, Err(Failure::Status(503)));
        assert!(whole.reusable);
    }

    #[test]
    fn what_is_no_answer_is_broken() {
        for text in [
            "+OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
            &format!("HTTP/1.1 200 OK\r\nA: {}", "a".repeat(MOST)),
        ] {
            let broken = answer(text);
            assert!(matches!(broken, Err(Failure::Broken(_))), "{text:?}");
        }
    }
}
