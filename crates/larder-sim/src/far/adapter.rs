//! A life's larder-redis, over the network.

use std::fmt;
use std::sync::{Arc, Weak};

use larder_core::BoxFuture;
use larder_core::far::{Bus, Change, FarError, Sink, Space};
use larder_redis::Redis;

use super::Line;
use super::ears::Ears;
use super::recorder::Recorder;
use crate::network::{Link, Network};

/// A life's larder-redis, over the network.
pub(crate) struct Adapter {
    line: Arc<Line>,
    link: Link,
    redis: Redis,
    recorder: Arc<Recorder>,
    ears: Ears,
}

impl Adapter {
    pub(super) fn new(line: &Arc<Line>, network: &Network) -> Arc<Self> {
        let link = network.link(line.life as u64);
        let wire = Arc::new(link.clone());
        let redis = Redis::over(wire, Arc::new(line.process.clone()), "sim");
        let recorder = Arc::new(Recorder {
            far: Arc::new(redis.clone()),
            history: line.history.clone(),
            life: line.life,
            at_once: false,
        });
        Arc::new(Self {
            line: Arc::clone(line),
            link,
            redis,
            recorder,
            ears: Ears::default(),
        })
    }

    pub(super) const fn redis(&self) -> &Redis {
        &self.redis
    }

    pub(super) const fn recorder(&self) -> &Arc<Recorder> {
        &self.recorder
    }

    pub(super) fn cut(&self, cut: bool) {
        if cut {
            self.link.cut_commands();
        } else {
            self.link.mend_commands();
        }
    }

    /// Nobody is told that messages stop, only that they come again.
    pub(super) fn deafen(&self, deaf: bool) {
        if deaf {
            self.link.silence_messages();
        } else {
            self.link.mend_messages();
        }
    }

    pub(super) fn heal(&self) {
        self.link.mend_commands();
        self.link.mend_messages();
    }
}

impl Bus for Adapter {
    fn listen(&self, space: &Space, sink: Weak<dyn Sink>) {
        self.line.history.speaks(space.node(), self.line.life);
        let ear = self.ears.add(&self.line, sink);
        self.redis.listen(space, ear);
    }

    fn number<'a>(&'a self, space: &'a Space) -> BoxFuture<'a, Result<u64, FarError>> {
        Box::pin(async move {
            let number = self.redis.number(space).await;
            self.line.beats();
            number
        })
    }

    fn publish<'a>(
        &'a self,
        space: &'a Space,
        change: Change,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        self.redis.publish(space, change)
    }
}

impl fmt::Debug for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Adapter")
            .field("line", &self.line)
            .finish_non_exhaustive()
    }
}
