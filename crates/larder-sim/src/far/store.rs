//! The far store that the nodes share.

use std::sync::Arc;
use std::time::Duration;

use larder_core::far::Sweep;
use larder_kit::Virtual;
use larder_memory::{Limits, Shelf};

use super::adapter::Adapter;
use super::link::Link;
use super::overheard::Overheard;
use super::{Line, Way};
use crate::Trace;
use crate::history::History;
use crate::network::{Faults, Network, OneIn};
use crate::node::CACHE;
use crate::plan::{Kind, Plan, Wire};
use crate::server::Server;

/// The far store that the nodes share.
pub(crate) enum Store {
    Shelf(Shelf),
    Redis(
        Network,
        #[expect(dead_code, reason = "kept alive here: the server holds it weakly")] Arc<Overheard>,
    ),
}

impl Store {
    pub(crate) fn new(time: &Virtual, plan: &Plan, history: &History, trace: &Trace) -> Self {
        let runtime = time.runtime();
        let server = match plan.setup.store {
            Kind::Shelf => {
                let limits = Limits {
                    keys: plan.setup.far_keys,
                    ..Limits::default()
                };
                return Self::Shelf(Shelf::with_limits(runtime.as_ref(), limits));
            }
            Kind::Redis => Server::new(runtime.as_ref()),
            Kind::Cluster => Server::cluster(runtime.as_ref()),
        };
        let network = Network::new(time, &server, plan.seed, trace);
        network.set_faults(faults(&plan.wire));
        Self::Redis(network, Overheard::start(&server, history))
    }

    /// The way of a life.
    pub(crate) fn way(&self, line: &Arc<Line>) -> Way {
        match self {
            Self::Shelf(shelf) => Way::Shelf(Link::new(line, shelf)),
            Self::Redis(network, _) => Way::Redis(Adapter::new(line, network)),
        }
    }

    /// It starts anew, without its data.
    pub(crate) async fn wipe(&self, ways: Vec<Arc<Way>>) {
        match self {
            Self::Shelf(shelf) => {
                // It is a runtime's own and never fails.
                let _ = shelf.purge(CACHE).await;
                ways.iter().for_each(|way| way.reconnect());
            }
            Self::Redis(network, _) => network.restart(false),
        }
    }

    /// A replica that is `lag` behind begins to follow; it takes over by [`Self::fail_over`].
    pub(crate) fn lags(&self, lag: Duration) {
        if let Self::Redis(network, _) = self {
            network.server().set_lag(Some(lag));
        }
    }

    pub(crate) fn fail_over(&self) {
        if let Self::Redis(network, _) = self {
            network.fail_over();
        }
    }

    /// Evicts one of the keys: tokens and barriers like entries.
    pub(crate) fn evict(&self, which: usize) {
        if let Self::Redis(network, _) = self {
            let names = network.server().names();
            if let Some(name) = names.get(which % names.len().max(1)) {
                network.server().evict(name);
            }
        }
    }

    pub(crate) fn set_full(&self, full: bool) {
        if let Self::Redis(network, _) = self {
            network.server().set_full(full);
        }
    }

    /// From now on nothing goes wrong, and no step is so slow that all the steps of an operation
    /// would take longer than it may.
    pub(crate) fn heal(&self, wire: &Wire) {
        if let Self::Redis(network, _) = self {
            let step = wire.delay.min(Duration::from_millis(1));
            network.set_faults(Faults {
                step,
                ..Faults::default()
            });
        }
    }
}

fn faults(wire: &Wire) -> Faults {
    let one_in = |share: u32| OneIn(1_000_u32.checked_div(share).map_or(0, |one| one.max(1)));
    Faults {
        step: wire.delay,
        not_sent: one_in(wire.not_sent),
        lost_requests: one_in(wire.lost),
        lost_replies: one_in(wire.unanswered + wire.slow),
        late_requests: one_in(wire.late),
        told: OneIn(2),
        late: wire.lateness.max(wire.message_delay),
        lost_messages: one_in(wire.message_lost),
        doubled_messages: one_in(wire.message_doubled),
        slow_messages: one_in(if wire.message_delay.is_zero() { 0 } else { 100 }),
    }
}
