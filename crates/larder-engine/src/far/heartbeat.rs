//! The heartbeat of one cache.

use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_lite::FutureExt;
use larder_core::far::{Bus, FarError, Sink, Space};
use larder_core::{Clock, Runtime};

use super::Link;
use crate::event::What;
use crate::events::Teller;

/// What a listening cache needs of its larder.
pub(crate) struct Pulse {
    pub(crate) bus: Arc<dyn Bus>,
    pub(crate) runtime: Arc<dyn Runtime>,
    pub(crate) clock: Clock,
    pub(crate) every: Duration,
    pub(crate) deadline: Duration,
    pub(crate) teller: Arc<Teller>,
}

/// Listens for as long as the cache, which holds the link, lives; asks for the number once a
/// period.
pub(crate) fn listen(pulse: Pulse, space: Space, link: &Arc<Link>) {
    let sink: Weak<Link> = Arc::downgrade(link);
    let sink: Weak<dyn Sink> = sink;
    pulse.bus.listen(&space, sink);
    let link = Arc::downgrade(link);
    let runtime = Arc::clone(&pulse.runtime);
    let began = pulse.clock.now();
    runtime.spawn(Box::pin(async move {
        let mut blind = false;
        loop {
            let Some(known) = link.upgrade().map(|link| link.last()) else {
                return;
            };
            let sent = pulse.clock.now();
            let number = pulse.number(&space).await;
            let Some(link) = link.upgrade() else {
                return;
            };
            if let Ok(number) = number {
                link.answered(number, sent, known);
            }
            blind = pulse.tell_sight(blind, link.is_blind_since(began, pulse.clock.now()));
            drop(link);
            pulse.runtime.sleep(pulse.every).await;
        }
    }));
}

impl Pulse {
    /// Tells a change of what the node sees; what it is now.
    fn tell_sight(&self, was: bool, is: bool) -> bool {
        if was != is {
            self.teller
                .tell(if is { What::Blind } else { What::Sighted });
        }
        is
    }

    async fn number(&self, space: &Space) -> Result<u64, FarError> {
        let late = async {
            self.runtime.sleep(self.deadline).await;
            Err(FarError::unknown(super::Down::Late))
        };
        self.bus.number(space).or(late).await
    }
}
