//! Requests of one batch that go to one server: they run there in their order.

use std::sync::Arc;
use std::time::Duration;

use larder_core::{Moment, Runtime};
use larder_kit::Gate;
use larder_redis::{Reply, Request};

use super::batch::Batch;
use super::faults::{Faults, up_to};
use super::link::Link;
use super::rules::{Deed, Orders, name_of};
use super::text;

/// Requests of one batch that go to one server: they run there in their order.
pub(super) struct Group {
    pub(super) link: Link,
    pub(super) batch: Arc<Batch>,
    pub(super) steps: Vec<Step>,
    pub(super) fate: Fate,
    pub(super) generation: u64,
}

/// One request with its place in the batch and its orders.
pub(super) struct Step {
    pub(super) at: usize,
    pub(super) request: Request,
    pub(super) orders: Orders,
    /// When it arrives.
    pub(super) due: Moment,
}

/// What becomes of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Fine,
    /// It breaks off before this request.
    Lost(usize),
    /// It runs, and no answer comes.
    Mute,
    /// It runs this much later, and no answer comes.
    Late(Duration),
}

impl Group {
    /// Draws what becomes of a group of this many requests.
    pub(super) fn fate(link: &Link, requests: usize) -> Fate {
        link.0.network.draw(|random, faults| {
            if faults.lost_requests.hits(random) {
                Fate::Lost(random.usize(..requests))
            } else if faults.late_requests.hits(random) {
                Fate::Late(up_to(faults.late, random))
            } else if faults.lost_replies.hits(random) {
                Fate::Mute
            } else {
                Fate::Fine
            }
        })
    }

    /// Takes the requests to the server and the replies back.
    pub(super) async fn travel(mut self) {
        let mut replies = Vec::with_capacity(self.steps.len());
        for (index, step) in std::mem::take(&mut self.steps).into_iter().enumerate() {
            let Some(reply) = self.step(index, &step).await else {
                return self.no_answer().await;
            };
            match step.orders.back {
                None => {}
                Some(Deed::Lose) => return self.say(&step.request, "reply lost"),
                Some(Deed::Hold(gate)) => self.wait(&step.request, "reply held", &gate).await,
            }
            replies.push((step.at, reply));
        }
        if self.fate != Fate::Fine {
            return self.no_answer().await;
        }
        self.sleep(self.link.0.network.step()).await;
        if self.link.commands().generation != self.generation {
            return;
        }
        for (at, reply) in replies {
            self.batch.fill(at, reply);
        }
    }

    /// Tells the sender that the connection broke, if it is to learn that.
    async fn no_answer(&self) {
        let told = |random: &mut _, faults: Faults| faults.told.hits(random);
        if self.link.0.network.draw(told) {
            self.sleep(self.link.0.network.step()).await;
            self.batch.tear();
        }
    }

    /// Takes one request to the server, and gives its reply, if it gets there.
    async fn step(&mut self, index: usize, step: &Step) -> Option<Reply> {
        let now = self.link.0.network.0.time.now();
        let mut wait = step.due.since(now);
        if let Fate::Late(late) = self.fate {
            wait += late;
        }
        self.sleep(wait).await;
        let held = matches!(step.orders.there, Some(Deed::Hold(_)));
        if self.fate == Fate::Lost(index) || (!held && self.is_severed()) {
            self.say(&step.request, "lost");
            return None;
        }
        match &step.orders.there {
            None => {}
            Some(Deed::Lose) => {
                self.say(&step.request, "lost");
                return None;
            }
            Some(Deed::Hold(gate)) => self.wait(&step.request, "held", gate).await,
        }
        Some(self.run(&step.request))
    }

    fn run(&self, request: &Request) -> Reply {
        let network = &self.link.0.network;
        let reply = network.server().run(request);
        let node = self.link.0.node;
        let line = || {
            let request = text::request(request);
            format!("n{node} {request} -> {}", text::reply(&reply))
        };
        network.note(line);
        reply
    }

    /// Whether the connection broke since and took this group with it. One that did not fall then
    /// has passed, and comes to its end.
    fn is_severed(&mut self) -> bool {
        let generation = self.link.commands().generation;
        if generation == self.generation {
            return false;
        }
        self.generation = generation;
        self.fate = match self.fate {
            Fate::Fine => Fate::Mute,
            other => other,
        };
        self.link.0.network.draw(|random, _| random.bool())
    }

    async fn wait(&self, request: &Request, what: &str, gate: &Gate) {
        self.say(request, what);
        gate.wait().await;
    }

    async fn sleep(&self, time: Duration) {
        if !time.is_zero() {
            self.link.0.network.0.time.sleep(time).await;
        }
    }

    fn say(&self, request: &Request, what: &str) {
        let node = self.link.0.node;
        let line = || format!("n{node} {} {what}", name_of(request));
        self.link.0.network.note(line);
    }
}
