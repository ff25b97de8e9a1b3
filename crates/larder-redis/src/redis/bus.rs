//! The ability to tell other nodes.

use std::fmt;
use std::sync::Weak;

use larder_core::BoxFuture;
use larder_core::far::{Bus, Change, FarError, Sink, Space};

use super::{At, Redis};
use crate::args;
use crate::names::Barrier;
use crate::replies::{self, Value};
use crate::scripts::NUMBER;
use crate::wire::Request;

impl Bus for Redis {
    fn listen(&self, space: &Space, sink: Weak<dyn Sink>) {
        let names = self.names_of(space);
        let channel = names.channel();
        let channel = self.0.channels.listen(&*self.0.wire, channel, sink);
        if space.has_foreign_writers() {
            self.0.watches.start(self, names.entry(b""), &channel);
        }
    }

    fn hears_writers(&self) -> Result<(), &'static str> {
        self.0.wire.tracks()
    }

    fn number<'a>(&'a self, space: &'a Space) -> BoxFuture<'a, Result<u64, FarError>> {
        Box::pin(async move {
            let number = self.noted(self.heartbeat(space).await)?;
            let channel = self.names_of(space).channel();
            self.0.channels.beat(&channel, self.0.wire.generation());
            Ok(number)
        })
    }

    fn publish<'a>(
        &'a self,
        space: &'a Space,
        change: Change,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        Box::pin(async move {
            let names = &self.names_of(space);
            let redis = self;
            let at = At {
                redis,
                space,
                names,
                watch: None,
            };
            self.noted(at.announce(&[change]).await)
        })
    }
}

impl Redis {
    async fn heartbeat(&self, space: &Space) -> Result<u64, FarError> {
        let names = self.names_of(space);
        let barriers = [Barrier::Clear, Barrier::Any].map(|barrier| names.barrier(barrier));
        let keys = std::iter::once(names.number()).chain(barriers).collect();
        let args = vec![args::some_millis(space.barrier()), self.fresh()];
        let request = Request::script(&NUMBER, keys, args);
        let mut replies = self.ask(vec![request]).await?;
        let Value::Bytes(text) = replies.value()? else {
            return Err(replies::out_of_step());
        };
        let number = std::str::from_utf8(&text)
            .ok()
            .and_then(|text| text.parse().ok());
        let number = number.ok_or_else(replies::out_of_step)?;
        let deaf =
            space.has_foreign_writers() && !self.watch(space).is_some_and(|watch| watch.stands());
        if deaf {
            return Err(FarError::unknown(Untold));
        }
        Ok(number)
    }
}

/// The server does not tell what others write: a heartbeat would say that all is known.
#[derive(Debug)]
struct Untold;

impl fmt::Display for Untold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the server does not tell what others write")
    }
}

impl std::error::Error for Untold {}
