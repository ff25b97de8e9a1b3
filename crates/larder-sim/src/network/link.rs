//! The connections of one node.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use bytes::Bytes;
use larder_core::Moment;
use larder_kit::Gate;
use larder_redis::Request;

use super::batch::Batch;
use super::messages::Messages;
use super::rules::{Deed, Rule, Stage};
use super::{Network, lock};
use crate::server::Listener;

/// The connections of one node: one for commands, one for messages. Clones are the same link.
///
/// It is the [`Wire`](larder_redis::Wire) of the node's adapter.
#[derive(Clone)]
pub struct Link(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) network: Network,
    pub(super) node: u64,
    pub(super) commands: Mutex<Commands>,
    pub(super) messages: Mutex<Messages>,
}

/// The connection for commands.
pub(super) struct Commands {
    pub(super) health: Health,
    /// Goes up when the connection breaks: what is under way belongs to an older one.
    pub(super) generation: u64,
    pub(super) waiting: Vec<Weak<Batch>>,
    pub(super) rules: Vec<Rule>,
    /// When the last request to each server arrives there: later ones come behind it.
    pub(super) last: HashMap<u64, Moment>,
}

/// How a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Health {
    Whole,
    /// It is broken, and both sides know it.
    Cut,
    /// The peer does not hear and does not answer, and nobody knows it.
    Silent,
}

impl Link {
    pub(super) fn new(network: &Network, node: u64) -> Self {
        let link = Self(Arc::new(Inner {
            network: network.clone(),
            node,
            commands: Mutex::new(Commands {
                health: Health::Whole,
                generation: 0,
                waiting: Vec::new(),
                rules: Vec::new(),
                last: HashMap::new(),
            }),
            messages: Mutex::new(Messages::default()),
        }));
        let listener: Weak<Inner> = Arc::downgrade(&link.0);
        network.server().listen(listener);
        link
    }

    pub(super) const fn of(inner: Arc<Inner>) -> Self {
        Self(inner)
    }

    pub(super) fn downgrade(&self) -> Weak<Inner> {
        Arc::downgrade(&self.0)
    }

    /// Holds the next request that fits at the gate returned, until that is opened, and with it
    /// what stands behind it in its batch. A request that is held on its way to the server reaches
    /// it whatever becomes of the connection meanwhile: so a request runs after its sender gave up.
    #[must_use]
    pub fn hold(&self, stage: Stage, fits: impl Fn(&Request) -> bool + Send + 'static) -> Gate {
        let gate = Gate::closed();
        self.rule(stage, fits, Deed::Hold(gate.clone()));
        gate
    }

    /// Loses the next request that fits, or its reply, and what stands behind it in its batch. No
    /// answer comes.
    pub fn lose(&self, stage: Stage, fits: impl Fn(&Request) -> bool + Send + 'static) {
        self.rule(stage, fits, Deed::Lose);
    }

    fn rule(&self, stage: Stage, fits: impl Fn(&Request) -> bool + Send + 'static, deed: Deed) {
        let fits = Box::new(fits);
        let rule = Rule { stage, fits, deed };
        self.commands().rules.push(rule);
    }

    /// Breaks the connection for commands: requests fail at once, as not sent, until it is
    /// [mended](Self::mend_commands). What is under way gets no answer; whether it still runs is
    /// drawn for each.
    pub fn cut_commands(&self) {
        self.note("commands cut");
        self.break_commands(Health::Cut);
    }

    /// From now on the server neither hears nor answers, and nobody is told.
    pub fn silence_commands(&self) {
        self.note("commands silent");
        let mut commands = self.commands();
        commands.health = Health::Silent;
        commands.generation += 1;
    }

    /// Makes the connection for commands anew; who still waits on the old one learns that it broke.
    pub fn mend_commands(&self) {
        self.note("commands mended");
        self.break_commands(Health::Whole);
    }

    /// Breaks both connections and makes them anew at once.
    pub fn reset(&self) {
        self.break_commands(Health::Whole);
        self.cut_messages();
        self.mend_messages();
    }

    fn break_commands(&self, health: Health) {
        let mut commands = self.commands();
        commands.health = health;
        commands.generation += 1;
        commands.last.clear();
        let waiting = std::mem::take(&mut commands.waiting);
        drop(commands);
        for batch in waiting.iter().filter_map(Weak::upgrade) {
            batch.tear();
        }
    }

    pub(super) fn commands(&self) -> MutexGuard<'_, Commands> {
        lock(&self.0.commands)
    }

    pub(super) fn note(&self, what: &str) {
        let node = self.0.node;
        self.0.network.note(|| format!("n{node} {what}"));
    }
}

impl Listener for Inner {
    fn published(self: Arc<Self>, channel: &Bytes, text: &Bytes) {
        Link(self).published(channel, text);
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let health = self.commands().health;
        f.debug_struct("Link")
            .field("node", &self.0.node)
            .field("commands", &health)
            .finish_non_exhaustive()
    }
}

impl Commands {
    /// Somebody waits for this batch.
    pub(super) fn expect(&mut self, batch: &Arc<Batch>) {
        self.waiting.retain(|batch| batch.strong_count() > 0);
        self.waiting.push(Arc::downgrade(batch));
    }
}
