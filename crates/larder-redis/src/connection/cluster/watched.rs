//! What listens to a node, for as long as it is one.

use std::sync::Arc;

use bytes::Bytes;
use larder_core::BoxFuture;

use super::known::Known;
use super::place::Place;
use crate::connection::listening::{Control, Listening};
use crate::{ConnectError, ConnectErrorKind};

/// What listens to a node until that is no master any more: a node that was taken out of the cluster
/// answers as before, and hears nothing.
pub(super) fn watched(at: Place, listening: Listening, known: Arc<Known>) -> Listening {
    let control = Arc::new(Heard {
        at,
        control: listening.control,
        known,
    });
    Listening {
        control,
        messages: listening.messages,
    }
}

struct Heard {
    at: Place,
    control: Arc<dyn Control>,
    known: Arc<Known>,
}

impl Control for Heard {
    fn subscribe<'a>(&'a self, channels: &'a [Bytes]) -> BoxFuture<'a, Result<(), ConnectError>> {
        self.control.subscribe(channels)
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), ConnectError>> {
        Box::pin(async {
            if !self.known.map().masters().contains(&self.at) {
                return Err(ConnectErrorKind::ReadOnly.into());
            }
            self.control.ping().await
        })
    }
}
