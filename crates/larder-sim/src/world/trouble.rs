//! What goes wrong at one moment.

use std::sync::Arc;
use std::time::Duration;

use larder_core::Runtime;

use super::World;
use crate::far::Way;
use crate::plan::{Fault, Trouble};

impl World {
    pub(super) async fn suffer(self, fault: Fault) {
        self.time.sleep(fault.at).await;
        self.history.tell(|| format!("FAULT {:?}", fault.what));
        match fault.what {
            Trouble::Pause(place, long) => self.pause(place, long).await,
            Trouble::Crash(place, long) => self.crash(place, long).await,
            Trouble::Cut(place, long) => self.on_way(place, long, Way::cut).await,
            Trouble::Deafen(place, long) => self.on_way(place, long, Way::deafen).await,
            Trouble::Jump(long) => {
                self.time.hand().advance(long);
                self.history.disturbed();
            }
            Trouble::Wipe => {
                let nodes = self.nodes().into_iter();
                let ways = nodes.filter_map(|node| node.way.clone());
                self.store.wipe(ways.collect()).await;
            }
            Trouble::FailOver(lag) => self.fail_over(lag).await,
            Trouble::Evict(which) => self.store.evict(which),
            Trouble::Full(long) => {
                self.store.set_full(true);
                self.time.sleep(long).await;
                self.store.set_full(false);
            }
        }
    }

    async fn pause(&self, place: usize, long: Duration) {
        if let Some(node) = self.node(place) {
            node.process.pause();
            self.time.sleep(long).await;
            self.history.disturbed();
            self.history.tell(|| format!("node {} goes on", node.life));
            node.process.resume();
        }
    }

    async fn crash(&self, place: usize, long: Duration) {
        let node = self.lock().nodes[place].take();
        if let Some(node) = node {
            node.process.kill();
            drop(node);
            self.time.sleep(long).await;
            self.join(place);
        }
    }

    /// Something is so on a node's way for a time.
    async fn on_way(&self, place: usize, long: Duration, set: fn(&Way, bool)) {
        let way: Option<Arc<Way>> = self.node(place).and_then(|node| node.way.clone());
        if let Some(way) = way {
            set(&way, true);
            self.time.sleep(long).await;
            set(&way, false);
        }
    }

    async fn fail_over(&self, lag: Duration) {
        self.store.lags(lag);
        self.time.sleep(lag).await;
        let now = self.time.now();
        self.history.failed_over(now.before(lag));
        self.store.fail_over();
    }
}
