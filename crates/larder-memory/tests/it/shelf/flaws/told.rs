//! What a flawed store tells, and what it purges.

use std::sync::Weak;
use std::time::Duration;

use larder_core::BoxFuture;
use larder_core::far::{Bus, Change, FarError, Sink, Space, Sweep};

use super::{Flaw, Flawed};

impl Bus for Flawed {
    fn listen(&self, space: &Space, sink: Weak<dyn Sink>) {
        let mut kept = self.kept.lock().expect("no listener panics");
        kept.extend(sink.upgrade().filter(|_| self.is(Flaw::SinksKept)));
        if !self.is(Flaw::Silent) {
            self.shelf.listen(&self.space(space), sink);
        }
    }

    fn number<'a>(&'a self, space: &'a Space) -> BoxFuture<'a, Result<u64, FarError>> {
        Box::pin(async move {
            let space = match self.flaw {
                Flaw::HeartbeatRenewsNothing => space.clone().lives(space.load(), Duration::ZERO),
                _ => self.space(space),
            };
            let number = self.shelf.number(&space).await?;
            Ok(match self.flaw {
                Flaw::SmallNumbers => number & 0xffff,
                Flaw::NumberAhead => number + 1,
                _ => number,
            })
        })
    }

    fn publish<'a>(
        &'a self,
        space: &'a Space,
        change: Change,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        Box::pin(async move { self.shelf.publish(&self.space(space), change).await })
    }
}

impl Sweep for Flawed {
    fn purge<'a>(&'a self, cache: &'a str) -> BoxFuture<'a, Result<u64, FarError>> {
        Box::pin(async move {
            let more = format!("{cache}1");
            match self.flaw {
                Flaw::PurgeOfNothing => Ok(0),
                Flaw::PurgeOfMore => {
                    let purged = self.shelf.purge(&more).await?;
                    Ok(purged + self.shelf.purge(cache).await?)
                }
                Flaw::PurgeCountsOn => Ok(5 + self.shelf.purge(cache).await?),
                _ => self.shelf.purge(cache).await,
            }
        })
    }
}
