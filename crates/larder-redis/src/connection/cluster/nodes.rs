//! The nodes of a cluster, each with a connection of its own.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_lite::future::or;
use larder_core::Runtime;
use larder_core::far::FarError;

use super::place::Place;
use crate::connection::heard::Heard;
use crate::connection::supervisor::Supervisor;
use crate::health::MasterHealth;
use crate::wire::{Reply, Request};

/// How the connection to a node is made.
pub(super) type Make = Box<dyn Fn(&Place) -> Supervisor + Send + Sync>;

/// The nodes of a cluster. Each connection heals by itself and fails at once while it is down, so
/// that a node that is gone costs the others nothing.
pub(super) struct Nodes {
    make: Make,
    runtime: Arc<dyn Runtime>,
    /// How long a request waits for a connection that is only being made.
    patience: Duration,
    all: Mutex<HashMap<Place, Arc<Node>>>,
}

/// One node.
pub(super) struct Node {
    pub(super) place: Place,
    connection: Supervisor,
    /// Whether the first attempt to connect was waited for.
    tried: AtomicBool,
}

impl Nodes {
    pub(super) fn new(make: Make, runtime: Arc<dyn Runtime>, patience: Duration) -> Self {
        Self {
            make,
            runtime,
            patience,
            all: Mutex::default(),
        }
    }

    /// The node at a place. Connecting begins here if it is new.
    pub(super) fn at(&self, place: &Place) -> Arc<Node> {
        let mut all = self.lock();
        if let Some(node) = all.get(place) {
            return Arc::clone(node);
        }
        let node = Arc::new(Node {
            place: place.clone(),
            connection: (self.make)(place),
            tried: AtomicBool::new(false),
        });
        all.insert(place.clone(), Arc::clone(&node));
        node
    }

    /// Gives up all but these, and begins to connect to those that are new.
    pub(super) fn keep(&self, places: &[Place]) {
        self.lock().retain(|place, _| places.contains(place));
        for place in places {
            self.at(place);
        }
    }

    /// Those that there are connections to, or will be.
    pub(super) fn all(&self) -> Vec<Arc<Node>> {
        self.lock().values().cloned().collect()
    }

    /// What has come from all of them.
    pub(super) fn heard(&self) -> Heard {
        let nodes = self.all();
        let each = nodes.iter().map(|node| node.connection.heard());
        each.fold(Heard::default(), Heard::and)
    }

    /// How each of them is, in the order of their slots.
    pub(super) fn health(&self) -> Vec<MasterHealth> {
        let nodes = self.all();
        let mut all: Vec<_> = nodes.iter().map(|node| node.connection.health()).collect();
        all.sort_by_key(|one| (one.slot.is_none(), one.slot));
        all
    }

    /// Whether there is a connection to any of them.
    pub(super) fn serve(&self) -> bool {
        let nodes = self.all();
        nodes.iter().any(|node| node.connection.is_connected())
    }

    /// Waits for the first attempt to connect to a node to end, but not long.
    pub(super) async fn tried(&self, node: &Node) {
        if node.tried.load(Ordering::Relaxed) {
            return;
        }
        let first = async {
            // Whoever sends something hears of the error.
            let _ = node.connection.first().await;
        };
        or(first, self.runtime.sleep(self.patience)).await;
        node.tried.store(true, Ordering::Relaxed);
    }

    /// Sends requests to the node at a place.
    pub(super) async fn send(
        &self,
        place: &Place,
        batch: &[Request],
    ) -> Result<Vec<Reply>, FarError> {
        let node = self.at(place);
        self.tried(&node).await;
        node.send(batch).await
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Place, Arc<Node>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Node {
    /// Sends requests, or fails at once.
    pub(super) async fn send(&self, batch: &[Request]) -> Result<Vec<Reply>, FarError> {
        self.connection.send(batch).await
    }
}
