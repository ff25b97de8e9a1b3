//! Connections to a master, for as long as it is that.

use std::sync::Arc;

use bytes::Bytes;
use futures_lite::future::{or, try_zip};
use larder_core::BoxFuture;
use larder_core::far::FarError;

use super::Inner;
use super::asked::leads;
use crate::connection::listening::{Control, Listening};
use crate::connection::session::Session;
use crate::connection::target::Address;
use crate::wire::{Reply, Request};
use crate::{ConnectError, ConnectErrorKind};

/// A session with a master, which ends when the master is another.
pub(super) struct Master {
    at: Address,
    session: Arc<dyn Session>,
    sentinel: Arc<Inner>,
}

impl Master {
    pub(super) fn new(at: Address, session: Arc<dyn Session>, sentinel: Arc<Inner>) -> Self {
        Self {
            at,
            session,
            sentinel,
        }
    }

    async fn still_leads(&self) -> Result<(), ConnectError> {
        let moved = self.sentinel.has_moved(&self.at).await;
        if moved {
            Err(ConnectErrorKind::ReadOnly.into())
        } else {
            Ok(())
        }
    }
}

impl Session for Master {
    fn send<'a>(&'a self, batch: &'a [Request]) -> BoxFuture<'a, Result<Vec<Reply>, FarError>> {
        self.session.send(batch)
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), ConnectError>> {
        Box::pin(async {
            let leads = leads(&*self.session);
            try_zip(leads, self.still_leads()).await.map(drop)
        })
    }

    fn heard(&self) -> crate::connection::Heard {
        self.session.heard()
    }

    fn ended(&self) -> BoxFuture<'_, ConnectError> {
        let told = async {
            self.sentinel.told(&self.at).await;
            ConnectErrorKind::ReadOnly.into()
        };
        Box::pin(or(self.session.ended(), told))
    }
}

/// What listens to a master, until the master is known to be another.
pub(super) fn watched(at: Address, listening: Listening, sentinel: Arc<Inner>) -> Listening {
    let control = Arc::new(Heard {
        at,
        control: listening.control,
        sentinel,
    });
    Listening {
        control,
        messages: listening.messages,
    }
}

struct Heard {
    at: Address,
    control: Arc<dyn Control>,
    sentinel: Arc<Inner>,
}

impl Control for Heard {
    fn subscribe<'a>(&'a self, channels: &'a [Bytes]) -> BoxFuture<'a, Result<(), ConnectError>> {
        self.control.subscribe(channels)
    }

    fn track<'a>(&'a self, prefix: &'a Bytes) -> BoxFuture<'a, Result<(), ConnectError>> {
        self.control.track(prefix)
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), ConnectError>> {
        Box::pin(async {
            let known = self.sentinel.lock().clone();
            if known.is_some_and(|known| known != self.at) {
                return Err(ConnectErrorKind::ReadOnly.into());
            }
            self.control.ping().await
        })
    }
}
