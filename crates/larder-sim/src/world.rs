//! A run: the nodes, their clients and what goes wrong, until all has healed.

mod end;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use larder_core::Runtime;
use larder_core::far::Sweep;
use larder_kit::Virtual;
use larder_memory::{Limits, Shelf};

use crate::Summary;
use crate::history::{History, Life};
use crate::node::{CACHE, Node};
use crate::plan::{Client, Fault, Plan, Step, Trouble};
use crate::violation::{Rule, Violation};

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
        took: world.time.now().since(world.start),
    };
    // What is left refers to the runtime that holds it. A second panic adds nothing.
    let _ = catch_unwind(AssertUnwindSafe(|| world.time.drop_tasks()));
    Ran {
        result: broken.map_or(Ok(summary), Err),
        lines: world.history.lines(),
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
    shelf: Shelf,
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
        let limits = Limits {
            keys: plan.setup.far_keys,
            ..Limits::default()
        };
        Self(Arc::new(Shared {
            plan: plan.clone(),
            start: time.now(),
            history: History::new(&time, &plan.setup, traced),
            shelf: Shelf::with_limits(time.runtime().as_ref(), limits),
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
            &self.shelf,
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

    async fn suffer(self, fault: Fault) {
        self.time.sleep(fault.at).await;
        self.history.tell(|| format!("FAULT {:?}", fault.what));
        match fault.what {
            Trouble::Pause(place, long) => self.pause(place, long).await,
            Trouble::Crash(place, long) => self.crash(place, long).await,
            Trouble::Cut(place, long) => self.cut(place, long).await,
            Trouble::Deafen(place, long) => self.deafen(place, long).await,
            Trouble::Jump(long) => {
                self.time.hand().advance(long);
                self.history.disturbed();
            }
            Trouble::Wipe => self.wipe().await,
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

    async fn cut(&self, place: usize, long: Duration) {
        let link = self.node(place).and_then(|node| node.link.clone());
        if let Some(link) = link {
            link.line().cut(true);
            self.time.sleep(long).await;
            link.line().cut(false);
        }
    }

    async fn deafen(&self, place: usize, long: Duration) {
        let link = self.node(place).and_then(|node| node.link.clone());
        if let Some(link) = link {
            link.deafen(true);
            self.time.sleep(long).await;
            link.deafen(false);
        }
    }

    async fn wipe(&self) {
        // The store is a runtime's own and never fails.
        let _ = self.shelf.purge(CACHE).await;
        for node in self.nodes() {
            if let Some(link) = &node.link {
                link.reconnect();
            }
        }
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
