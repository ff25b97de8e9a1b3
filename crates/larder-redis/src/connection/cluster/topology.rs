//! Keeping up with a cluster.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use larder_core::{BoxFuture, Runtime};

use super::known::Known;
use super::nodes::Nodes;
use super::survey::Survey;
use crate::connection::first::first;

/// The nodes of a cluster and what is known of them, kept up with by asking the nodes.
pub(super) struct Topology {
    pub(super) nodes: Nodes,
    pub(super) known: Arc<Known>,
    pub(super) runtime: Arc<dyn Runtime>,
    /// How long one node may hold up that another is asked.
    pub(super) pause: Duration,
    /// Which node is asked first.
    turn: AtomicUsize,
    asking: AtomicBool,
}

impl Topology {
    pub(super) fn new(
        nodes: Nodes,
        known: Arc<Known>,
        runtime: Arc<dyn Runtime>,
        pause: Duration,
    ) -> Self {
        Self {
            nodes,
            known,
            runtime,
            pause,
            turn: AtomicUsize::new(0),
            asking: AtomicBool::new(false),
        }
    }

    /// What is known is old: nodes are asked, by one at a time and not again and again.
    pub(super) fn doubt(self: &Arc<Self>) {
        if self.asking.swap(true, Ordering::AcqRel) {
            return;
        }
        let topology = Arc::downgrade(self);
        let pause = self.runtime.sleep(BETWEEN);
        self.runtime.spawn(Box::pin(async move {
            if let Some(topology) = topology.upgrade() {
                topology.refresh().await;
            }
            pause.await;
            if let Some(topology) = topology.upgrade() {
                topology.asking.store(false, Ordering::Release);
            }
        }));
    }

    /// Takes what a node knows that serves, or else the best that any knows; whether one answers.
    pub(super) async fn refresh(&self) -> bool {
        let best = Mutex::new(None);
        let mut nodes = self.nodes.all();
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) % nodes.len().max(1);
        nodes.rotate_left(turn);
        let attempts = nodes.iter().map(|node| -> BoxFuture<'_, _> {
            Box::pin(async {
                let replies = node.send(&Survey::questions()).await;
                Survey::hear(replies, &node.place, &best)
            })
        });
        first(attempts.collect(), || self.runtime.sleep(self.pause)).await;
        let best = best.into_inner().unwrap_or_else(PoisonError::into_inner);
        best.map(|survey| self.take(survey)).is_some()
    }

    /// Goes by a survey from now on. A cluster without masters is none.
    pub(super) fn take(&self, survey: Survey) {
        if !survey.map.masters().is_empty() {
            self.nodes.keep(survey.map.masters());
            self.known.set(survey.map);
        }
    }
}

/// Nodes are not asked more often than this because of doubts.
const BETWEEN: Duration = Duration::from_millis(100);
