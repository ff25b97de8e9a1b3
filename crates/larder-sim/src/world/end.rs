//! The end of a run: rest, healing, and nothing left.

use std::time::Duration;

use larder_engine::Mode;

use super::World;
use crate::node::Node;
use crate::plan::{Body, End, Form, Says, Step, Verb};
use crate::violation::Rule;

/// Longer than the pauses of a queue that is drained, all together.
const REST: Duration = Duration::from_secs(20);

/// Longer than the period of any task that looks whether its cache is still there.
const PERIOD: Duration = Duration::from_secs(200);

impl World {
    /// From here on nothing goes wrong any more.
    pub(super) fn ends(&self) {
        self.history.tell(|| "nothing goes wrong any more".into());
        for node in self.nodes() {
            node.switch(Mode::On);
            if let Some(way) = &node.way {
                way.heal();
            }
        }
        self.store.heal(&self.plan.wire);
        self.rests();
        self.heals();
        self.shuts_down();
        self.is_gone();
    }

    /// All that was begun comes to its end.
    fn rests(&self) {
        let nodes = self.nodes();
        let at_rest = || nodes.iter().all(|node| is_at_rest(node));
        if !self.advance_until(REST, at_rest) {
            let text = "the nodes do not come to rest";
            self.history.breaks(Rule::Unrest, text);
        }
        let open = self.history.open_calls();
        if !open.is_empty() {
            self.history.breaks(Rule::Waiting, open.join("; "));
        }
        nodes.iter().for_each(|node| self.checks(node));
    }

    /// Larders shut down, as all that they wait for is over.
    fn shuts_down(&self) {
        let larders = self.nodes();
        let larders = larders.iter().map(|node| node.larder.clone());
        let shut: Vec<_> = larders
            .map(|larder| {
                self.time
                    .spawn(async move { larder.shutdown(REST * 2).await })
            })
            .collect();
        let shut = || shut.iter().all(|shut| shut.is_finished());
        if !self.advance_until(REST, shut) {
            let text = "the larders do not shut down";
            self.history.breaks(Rule::Unrest, text);
        }
    }

    fn checks(&self, node: &Node) {
        let stats = node.stats();
        let counted: u64 = stats.calls().iter().map(|(_, count)| count).sum();
        if counted != node.counted() {
            let text = format!(
                "{} calls are counted as {counted}: {stats:?}",
                node.counted()
            );
            self.history.breaks(Rule::Unrest, text);
        }
        if stats.entries > self.plan.setup.capacity {
            let text = format!("{} entries at node {}", stats.entries, node.life);
            self.history.breaks(Rule::Bound, text);
        }
    }

    /// After a change of every key, at one node after the other, all see the newest; also those
    /// that missed everything before.
    fn heals(&self) {
        let setup = &self.plan.setup;
        for key in 0..setup.keys {
            let place = key as usize % setup.nodes;
            self.steps(vec![(place, step(key, Verb::Update(Form::Tagged, READY)))]);
        }
        self.time.advance(setup.bound() + Duration::from_millis(1));
        let loads = (0..setup.keys).flat_map(|key| {
            let load = step(key, Verb::Load(Form::Tagged, READY));
            (0..setup.nodes).map(move |place| (place, load.clone()))
        });
        self.steps(loads.collect());
    }

    /// Calls, all at once, that must succeed.
    fn steps(&self, steps: Vec<(usize, Step)>) {
        let before = self.history.answers();
        let count = steps.len() as u64;
        for (place, step) in steps {
            let world = self.clone();
            drop(
                self.time
                    .spawn(async move { world.call(place, step).await }),
            );
        }
        let answered = || self.history.answers() == before + count;
        if !self.advance_until(self.plan.setup.patience(), answered) {
            let open = self.history.open_calls().join("; ");
            self.history
                .breaks(Rule::Unhealed, format!("no answer to {open}"));
        }
    }

    /// When the caches are dropped their tasks end.
    fn is_gone(&self) {
        if self.history.broken().is_some() {
            return;
        }
        self.lock().nodes.clear();
        if !self.advance_until(PERIOD, || self.time.tasks() == 0) {
            let text = format!("{} tasks outlive their caches", self.time.tasks());
            self.history.breaks(Rule::Unrest, text);
        }
    }
}

/// A function without delay or failure.
const READY: Body = Body {
    before: Duration::ZERO,
    after: Duration::ZERO,
    end: End::Value,
    says: Says {
        ttl: None,
        unstored: false,
        tagged: false,
    },
};

fn step(key: u64, verb: Verb) -> Step {
    Step {
        pause: Duration::ZERO,
        key,
        verb,
        leaves: None,
    }
}

fn is_at_rest(node: &Node) -> bool {
    let stats = node.stats();
    let pending = stats.far_tier.map_or(0, |far| far.pending);
    (stats.running, pending) == (0, 0)
}
