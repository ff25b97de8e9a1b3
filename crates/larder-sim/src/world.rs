//! A run: the nodes, their clients and what goes wrong, until all has healed.

mod end;
mod trouble;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use larder_core::Runtime;
use larder_kit::Virtual;

use crate::far::Store;
use crate::history::{History, Life};
use crate::node::Node;
use crate::plan::{Client, Plan, Step};
use crate::violation::{Rule, Violation};
use crate::{Summary, Trace};

/// No run takes longer than this in virtual time: who waits then waits for ever.
const LONGEST: Duration = Duration::from_secs(120);

/// What a run leaves behind.
pub(crate) struct Ran {
    pub(crate) result: Result<Summary, Violation>,
    pub(crate) lines: Vec<String>,
}

/// Runs a plan to its end, or to what is broken first.
pub(crate) fn run(plan: &Plan, traced: bool) -> Ran {
    let world = World::new(plan, traced);
    let ran = catch_unwind(AssertUnwindSafe(|| world.run()));
    let broken = match ran {
        Ok(()) => world.history.broken(),
        Err(panic) => Some(Violation::new(Rule::Panic, text(panic.as_ref()))),
    };
    let summary = Summary {
        calls: world.history.answers(),
        outcomes: world.history.outcomes(),
        took: world.time.now().since(world.start),
    };
    // What is left refers to the runtime that holds it. A second panic adds nothing.
    let _ = catch_unwind(AssertUnwindSafe(|| world.time.drop_tasks()));
    Ran {
        result: broken.map_or(Ok(summary), Err),
        lines: world.trace.lines(),
    }
}

fn text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "something that is no text".into())
}

/// The nodes, the far store and the history; clones are the same world.
#[derive(Clone)]
struct World(Arc<Shared>);

impl std::ops::Deref for World {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

struct Shared {
    plan: Plan,
    time: Virtual,
    start: larder_core::Moment,
    history: History,
    store: Store,
    trace: Trace,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By place; nothing where a node is down.
    nodes: Vec<Option<Arc<Node>>>,
    lives: Life,
}

impl World {
    fn new(plan: &Plan, traced: bool) -> Self {
        let time = Virtual::seeded(plan.seed);
        let trace = if traced {
            Trace::on(&time)
        } else {
            Trace::off()
        };
        let history = History::new(&time, &plan.setup, &trace);
        Self(Arc::new(Shared {
            plan: plan.clone(),
            start: time.now(),
            store: Store::new(&time, plan, &history, &trace),
            history,
            trace,
            time,
            state: Mutex::default(),
        }))
    }

    fn run(&self) {
        for place in 0..self.plan.setup.nodes {
            self.lock().nodes.push(None);
            self.join(place);
        }
        let clients = self.plan.clients.iter().cloned();
        let clients: Vec<_> = clients
            .map(|client| self.time.spawn(self.clone().serve(client)))
            .collect();
        let faults = self.plan.faults.iter().cloned();
        let faults: Vec<_> = faults
            .map(|fault| self.time.spawn(self.clone().suffer(fault)))
            .collect();
        let over = || {
            clients.iter().all(|client| client.is_finished())
                && faults.iter().all(|fault| fault.is_finished())
        };
        if !self.advance_until(LONGEST, over) {
            let open = self.history.open_calls().join("; ");
            self.history
                .breaks(Rule::Waiting, format!("no end to {open}"));
        }
        if self.history.broken().is_none() {
            self.ends();
        }
    }

    /// Lets time pass until something holds, or nothing more can be learned.
    fn advance_until(&self, longest: Duration, holds: impl Fn() -> bool) -> bool {
        let end = self.time.now().after(longest);
        while !holds() && self.history.broken().is_none() {
            if self.time.now() >= end {
                return false;
            }
            self.time.advance(Duration::from_millis(50));
        }
        true
    }

    /// Starts a node at a place.
    fn join(&self, place: usize) {
        let life = {
            let mut state = self.lock();
            state.lives += 1;
            state.lives - 1
        };
        let node = Node::start(
            &self.time,
            &self.history,
            &self.store,
            &self.plan,
            life,
            place,
        );
        let node = node.expect("the settings of a plan are in range");
        self.history
            .tell(|| format!("node {life} starts at place {place}"));
        self.lock().nodes[place] = Some(Arc::new(node));
    }

    fn node(&self, place: usize) -> Option<Arc<Node>> {
        self.lock().nodes[place].clone()
    }

    fn nodes(&self) -> Vec<Arc<Node>> {
        self.lock().nodes.iter().flatten().cloned().collect()
    }

    async fn serve(self, client: Client) {
        for step in client.steps {
            self.time.sleep(step.pause).await;
            self.call(client.node, step).await;
        }
    }

    /// One call at a place; none if no node is there.
    async fn call(&self, place: usize, step: Step) {
        let Some(node) = self.node(place) else {
            return;
        };
        let call = node.perform(&self.history, step);
        let call = node.process.run(call);
        drop(node);
        call.await;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("World")
    }
}
