//! A session that answers what a test says.

use std::sync::Mutex;

use larder_core::BoxFuture;
use larder_core::far::FarError;
use larder_kit::Gate;
use larder_redis::{ConnectError, ConnectErrorKind, Heard, Reply, Request, Session};

/// A session that answers `OK` to all, until a test says otherwise.
pub(crate) struct Played {
    /// Where answers wait.
    pub(crate) answers: Gate,
    /// Where signs of life wait.
    pub(crate) life: Gate,
    /// Open when it has ended.
    pub(crate) end: Gate,
    pub(crate) reply: Mutex<Reply>,
    pub(crate) pong: Mutex<Result<(), ConnectError>>,
    pub(crate) heard: Mutex<Heard>,
    sent: Mutex<usize>,
}

impl Default for Played {
    fn default() -> Self {
        Self {
            answers: Gate::opened(),
            life: Gate::opened(),
            end: Gate::closed(),
            reply: Mutex::new(Reply::ok()),
            pong: Mutex::new(Ok(())),
            heard: Mutex::default(),
            sent: Mutex::default(),
        }
    }
}

impl Played {
    /// Answers this from now on.
    pub(crate) fn say(&self, reply: Reply) {
        *self.reply.lock().unwrap() = reply;
    }

    /// Answers nothing from now on, as a half-open link does.
    pub(crate) fn fall_silent(&self) {
        self.answers.close();
        self.life.close();
    }

    /// How many batches came here.
    pub(crate) fn sent(&self) -> usize {
        *self.sent.lock().unwrap()
    }
}

impl Session for Played {
    fn send<'a>(&'a self, batch: &'a [Request]) -> BoxFuture<'a, Result<Vec<Reply>, FarError>> {
        Box::pin(async move {
            *self.sent.lock().unwrap() += 1;
            self.answers.wait().await;
            let reply = self.reply.lock().unwrap().clone();
            Ok(vec![reply; batch.len()])
        })
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), ConnectError>> {
        Box::pin(async {
            self.life.wait().await;
            self.pong.lock().unwrap().clone()
        })
    }

    fn heard(&self) -> Heard {
        *self.heard.lock().unwrap()
    }

    fn ended(&self) -> BoxFuture<'_, ConnectError> {
        Box::pin(async {
            self.end.wait().await;
            ConnectErrorKind::Lost.into()
        })
    }
}
