//! A link as the adapter's wire.

use std::collections::BTreeMap;
use std::future::{pending, ready};
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use larder_core::BoxFuture;
use larder_core::Runtime;
use larder_core::far::FarError;
use larder_kit::KitError;
use larder_redis::{Ear, Reply, Request, Route, Wire};

use super::batch::{Answer, Batch};
use super::group::{Group, Step};
use super::link::{Health, Link};
use super::rules::Orders;
use crate::server::slot;

impl Wire for Link {
    fn send(&self, batch: Vec<Request>) -> BoxFuture<'_, Result<Vec<Reply>, FarError>> {
        Box::pin(async move {
            if batch.is_empty() {
                return Ok(Vec::new());
            }
            let health = self.commands().health;
            match health {
                Health::Whole => {}
                Health::Cut => return Err(FarError::not_sent(KitError::new("the link is cut"))),
                Health::Silent => return pending().await,
            }
            if self
                .0
                .network
                .draw(|random, faults| faults.not_sent.hits(random))
            {
                self.note("not sent");
                return Err(FarError::not_sent(KitError::new("no connection")));
            }
            let answer = self.start(batch).await;
            answer.map_err(|_| FarError::unknown(KitError::new("the link broke")))
        })
    }

    fn is_cluster(&self) -> bool {
        self.0.network.server().is_cluster()
    }

    fn masters(&self) -> BoxFuture<'_, Result<usize, FarError>> {
        Box::pin(ready(Ok(self.0.network.server().masters())))
    }

    fn subscribe(&self, channel: Bytes, ear: Weak<dyn Ear>) {
        self.listen(channel, ear);
    }
}

impl Link {
    /// Sends a batch on its way.
    fn start(&self, requests: Vec<Request>) -> Answer {
        let batch = Batch::of(requests.len());
        let mut groups: BTreeMap<u64, Vec<(usize, Request)>> = BTreeMap::new();
        for (at, request) in requests.into_iter().enumerate() {
            let route = self.route(&request);
            groups.entry(route).or_default().push((at, request));
        }
        self.commands().expect(&batch);
        for (route, requests) in groups {
            let group = self.group(route, requests, &batch);
            let time = &self.0.network.0.time;
            Runtime::spawn(time, Box::pin(group.travel()));
        }
        Answer(batch)
    }

    /// Which connection a request takes. One for each slot is what a cluster may do at its worst.
    fn route(&self, request: &Request) -> u64 {
        match request.route() {
            _ if !self.is_cluster() => 0,
            Route::Key(key) => u64::from(slot(key)),
            Route::Master(master) => u64::MAX - *master as u64,
        }
    }

    fn group(&self, route: u64, requests: Vec<(usize, Request)>, batch: &Arc<Batch>) -> Group {
        let fate = Group::fate(self, requests.len());
        let mut commands = self.commands();
        let commands = &mut *commands;
        let now = self.0.network.0.time.now();
        let before = commands.last.entry(route).or_insert(now);
        // What comes later comes behind, so that two that wait for one moment keep their order.
        let mut due = if *before > now {
            before.after(Duration::from_nanos(1))
        } else {
            now
        };
        let mut steps = Vec::with_capacity(requests.len());
        for (at, request) in requests {
            due = due.after(self.0.network.step());
            let orders = Orders::take(&mut commands.rules, &request);
            steps.push(Step {
                at,
                request,
                orders,
                due,
            });
        }
        *before = due;
        Group {
            link: self.clone(),
            batch: Arc::clone(batch),
            steps,
            fate,
            generation: commands.generation,
        }
    }
}
