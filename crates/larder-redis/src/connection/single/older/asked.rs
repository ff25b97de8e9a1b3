//! Who waits for which answer.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use smol::channel::{Receiver, Sender, bounded};

use crate::connection::listening::Published;
use crate::wire::Reply;
use crate::{ConnectError, ConnectErrorKind};

/// What was asked and has not been answered, in its order; none, when nothing can be any more.
pub(super) struct Asked(Mutex<Option<VecDeque<Ask>>>);

struct Ask {
    answers: usize,
    end: Sender<Result<(), ConnectError>>,
}

impl Default for Asked {
    fn default() -> Self {
        Self(Mutex::new(Some(VecDeque::new())))
    }
}

impl Asked {
    /// So many answers are waited for: how that ends.
    ///
    /// # Errors
    /// None can come any more.
    pub(super) fn wait_for(
        &self,
        answers: usize,
    ) -> Result<Receiver<Result<(), ConnectError>>, ConnectError> {
        let (end, ends) = bounded(1);
        let mut asked = self.lock();
        let asked = asked.as_mut().ok_or(ConnectErrorKind::Lost)?;
        asked.push_back(Ask { answers, end });
        Ok(ends)
    }

    /// No answer can come any more: all who wait hear of it.
    pub(super) fn close(&self) {
        self.lock().take();
    }

    /// Takes what has come: a message, or an answer to what was asked first.
    ///
    /// # Errors
    /// It is neither, or nobody listens any more, or too much waits for who does.
    pub(super) fn take(
        &self,
        reply: Reply,
        publish: &Sender<Published>,
    ) -> Result<(), ConnectErrorKind> {
        match reply {
            Reply::Error { code, .. } => self.ended(Err(ConnectError::refused(&code))),
            Reply::Array(parts) => match <[Reply; 3]>::try_from(parts) {
                Ok(
                    [
                        Reply::Bytes(kind),
                        Reply::Bytes(channel),
                        Reply::Bytes(payload),
                    ],
                ) if kind == "message" => {
                    let published = Published::Message { channel, payload };
                    let sent = publish.try_send(published);
                    // Who listened has left, or does not take what comes.
                    sent.map_err(|_| ConnectErrorKind::Lost)
                }
                _ => self.answered(),
            },
            _ => self.answered(),
        }
    }

    /// An answer is there.
    fn answered(&self) -> Result<(), ConnectErrorKind> {
        let mut asked = self.lock();
        let first = asked.as_mut().and_then(VecDeque::front_mut);
        let first = first.ok_or(ConnectErrorKind::Garbage)?;
        first.answers -= 1;
        let more = first.answers > 0;
        drop(asked);
        if more { Ok(()) } else { self.ended(Ok(())) }
    }

    /// What was asked first has ended so.
    fn ended(&self, end: Result<(), ConnectError>) -> Result<(), ConnectErrorKind> {
        let first = self.lock().as_mut().and_then(VecDeque::pop_front);
        let first = first.ok_or(ConnectErrorKind::Garbage)?;
        // Who has asked may have left.
        let _ = first.end.try_send(end);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Option<VecDeque<Ask>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use smol::channel::unbounded;

    use super::*;

    fn told(words: &[&'static str]) -> Reply {
        Reply::Array(words.iter().map(|word| Reply::bytes(*word)).collect())
    }

    #[test]
    fn messages_come_between_answers_and_answers_in_their_order() {
        let (publish, messages) = unbounded();
        let asked = Asked::default();
        let (two, one) = (asked.wait_for(2).unwrap(), asked.wait_for(1).unwrap());
        let take = |reply| asked.take(reply, &publish);
        let subscribed = || {
            Reply::Array(vec![
                Reply::bytes("subscribe"),
                Reply::bytes("a"),
                Reply::Int(1),
            ])
        };
        take(subscribed()).unwrap();
        assert!(two.is_empty());
        take(told(&["message", "a", "five"])).unwrap();
        take(subscribed()).unwrap();
        assert_eq!(two.try_recv(), Ok(Ok(())));
        assert!(one.is_empty());
        take(told(&["pong", ""])).unwrap();
        assert_eq!(one.try_recv(), Ok(Ok(())));
        let (channel, payload) = ("a".into(), "five".into());
        assert_eq!(
            messages.try_recv(),
            Ok(Published::Message { channel, payload })
        );
        assert!(messages.is_empty());
    }

    #[test]
    fn a_refusal_ends_what_was_asked_first_and_that_alone() {
        let (publish, _messages) = unbounded();
        let asked = Asked::default();
        let (two, one) = (asked.wait_for(2).unwrap(), asked.wait_for(1).unwrap());
        asked.take(Reply::error("NOPERM", "no"), &publish).unwrap();
        asked
            .take(Reply::Status("PONG".to_owned()), &publish)
            .unwrap();
        let code = two.try_recv().unwrap().unwrap_err();
        assert_eq!(code.code(), Some("NOPERM"));
        assert_eq!(one.try_recv(), Ok(Ok(())));
    }

    #[test]
    fn who_does_not_take_what_comes_loses_the_connection() {
        let (publish, _messages) = bounded(1);
        let asked = Asked::default();
        let message = || told(&["message", "a", "five"]);
        assert_eq!(asked.take(message(), &publish), Ok(()));
        let lost = Err(ConnectErrorKind::Lost);
        assert_eq!(asked.take(message(), &publish), lost);
    }

    #[test]
    fn what_nobody_asked_for_is_garbage_and_who_waits_at_the_end_hears_of_it() {
        let (publish, messages) = unbounded();
        let asked = Asked::default();
        let garbage = Err(ConnectErrorKind::Garbage);
        assert_eq!(asked.take(Reply::ok(), &publish), garbage);
        let waits = asked.wait_for(1).unwrap();
        asked.close();
        assert!(waits.is_closed());
        assert!(asked.wait_for(1).is_err());
        drop(messages);
        let message = told(&["message", "a", "five"]);
        assert_eq!(asked.take(message, &publish), Err(ConnectErrorKind::Lost));
    }
}
