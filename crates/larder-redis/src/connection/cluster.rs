//! A cluster: keys spread over masters.
//!
//! Each master has a [`Supervisor`] of its own over a connection of its own, so that one which is
//! down fails at once, heals by itself and costs the others nothing. The cluster connection of the
//! crate underneath was measured and not taken: it refuses batches that go to several nodes and
//! does not show which node a key is on, so batches could not be sent in their order with one trip
//! for each node; it goes on asking a master that was replaced while it stood still; and its tasks
//! run on an executor that is not ours to choose.

mod known;
mod legs;
mod map;
mod nodes;
mod place;
mod redirect;
mod slot;
mod spread;
mod survey;
mod topology;
mod watched;

use std::sync::{Arc, Mutex, PoisonError};

use larder_core::{BoxFuture, Runtime};

use super::dial::Dial;
use super::first::first;
use super::listening::Listening;
use super::session::Session;
use super::settings::{Bounds, Pace};
use super::supervisor::Supervisor;
use super::tally::Tally;
use super::together::together;
use crate::{ConnectError, ConnectErrorKind};
use known::Known;
use nodes::Nodes;
use spread::Spread;
use survey::Survey;
use topology::Topology;
use watched::watched;

pub(super) use place::Place;

/// How a node is dialled.
pub(super) type Node = Arc<dyn Fn(&Place) -> Arc<dyn Dial> + Send + Sync>;

/// Connects to a cluster.
pub(super) struct Cluster {
    /// Where nodes were when the settings were written.
    seeds: Vec<Place>,
    node: Node,
    runtime: Arc<dyn Runtime>,
    pace: Pace,
    bounds: Bounds,
    /// Of the connections to nodes.
    tally: Arc<Tally>,
    known: Arc<Known>,
}

impl Cluster {
    pub(super) fn new(
        seeds: Vec<Place>,
        node: Node,
        runtime: Arc<dyn Runtime>,
        pace: Pace,
        bounds: Bounds,
        tally: Arc<Tally>,
    ) -> Self {
        Self {
            seeds,
            node,
            runtime,
            pace,
            bounds,
            tally,
            known: Arc::default(),
        }
    }

    /// Asks one node after another what it knows of the cluster.
    async fn survey(&self) -> Result<Survey, ConnectError> {
        let best = Mutex::new(None);
        let places = self.places();
        let attempts = places.iter().map(|place| -> BoxFuture<'_, _> {
            Box::pin(async {
                let session = (self.node)(place).dial().await?;
                let replies = session.send(&Survey::questions()).await;
                Survey::hear(replies, place, &best)
            })
        });
        // Half of the time there is: the other half is for connecting.
        let share = u32::try_from(2 * places.len()).unwrap_or(u32::MAX);
        let pause = self.pace.connect / share.max(1);
        let end = first(attempts.collect(), || self.runtime.sleep(pause)).await;
        let best = best.into_inner().unwrap_or_else(PoisonError::into_inner);
        match (best, end) {
            (Some(survey), _) => Ok(survey),
            (None, Some(Err(error))) => Err(error),
            (None, _) => Err(ConnectErrorKind::Unavailable.into()),
        }
    }

    /// Where a node may be: masters that were known first, from any of them on, then the seeds.
    fn places(&self) -> Vec<Place> {
        let mut places = self.known.map().masters().to_vec();
        if !places.is_empty() {
            let count = places.len() as u64;
            places.rotate_left((self.runtime.random() % count) as usize);
        }
        for seed in &self.seeds {
            if !places.contains(seed) {
                places.push(seed.clone());
            }
        }
        places
    }

    /// A session that knows the cluster and has tried all its masters once.
    async fn connect(&self) -> Result<Arc<dyn Session>, ConnectError> {
        let survey = self.survey().await?;
        if survey.map.masters().is_empty() {
            return Err(ConnectErrorKind::Unavailable.into());
        }
        let (known, runtime) = (Arc::clone(&self.known), Arc::clone(&self.runtime));
        let topology = Topology::new(self.nodes(), known, runtime, self.pace.patience / 4);
        topology.take(survey);
        let nodes = topology.nodes.all();
        let tried = nodes
            .iter()
            .map(|node| -> BoxFuture<'_, _> { Box::pin(topology.nodes.tried(node)) });
        together(tried.collect()).await;
        Ok(Arc::new(Spread(Arc::new(topology))))
    }

    fn nodes(&self) -> Nodes {
        let (node, runtime) = (Arc::clone(&self.node), Arc::clone(&self.runtime));
        let (pace, bounds) = (self.pace, self.bounds);
        let (tally, known) = (Arc::clone(&self.tally), Arc::clone(&self.known));
        let make = move |place: &Place| {
            let (dial, runtime, tally) = (node(place), Arc::clone(&runtime), Arc::clone(&tally));
            let (known, place) = (Arc::clone(&known), place.clone());
            let slot = Box::new(move || known.map().first_of(&place));
            Supervisor::start(dial, runtime, pace, bounds, tally, slot)
        };
        Nodes::new(
            Box::new(make),
            Arc::clone(&self.runtime),
            self.pace.connect / 4,
        )
    }
}

impl Dial for Cluster {
    fn dial(&self) -> BoxFuture<'_, Result<Arc<dyn Session>, ConnectError>> {
        Box::pin(self.connect())
    }

    /// Listens to any of the masters: each hears what is published on all.
    fn listen(&self) -> BoxFuture<'_, Result<Listening, ConnectError>> {
        Box::pin(async {
            if self.known.map().masters().is_empty() {
                self.known.set(self.survey().await?.map);
            }
            let places = self.places();
            let at = places.first().ok_or(ConnectErrorKind::Unavailable)?;
            let listening = (self.node)(at).listen().await?;
            Ok(watched(at.clone(), listening, Arc::clone(&self.known)))
        })
    }

    fn is_cluster(&self) -> bool {
        true
    }
}
