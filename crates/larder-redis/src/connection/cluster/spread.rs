//! A session with a cluster.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use larder_core::BoxFuture;
use larder_core::far::{Certainty, FarError};

use super::legs::{Learned, Legs, Load};
use super::topology::Topology;
use crate::connection::heard::Heard;
use crate::connection::session::Session;
use crate::connection::together::together;
use crate::health::MasterHealth;
use crate::wire::{Reply, Request};
use crate::{ConnectError, ConnectErrorKind};

/// A session with a cluster: each request goes to the master of its slot, and after it wherever the
/// nodes say that the slot has gone. It ends when no master answers any more.
pub(super) struct Spread(pub(super) Arc<Topology>);

/// How many nodes a request goes to at most, one after another.
const STEPS: u32 = 5;

/// What waits for keys on their way asks again after about this long, then after twice as long…
const LATER: Duration = Duration::from_millis(10);

impl Spread {
    async fn send_all(&self, batch: &[Request]) -> Result<Vec<Reply>, FarError> {
        let mut legs = Legs::new(batch, &self.0.known.map());
        for step in 0..STEPS {
            let loads = legs.loads();
            if loads.is_empty() {
                break;
            }
            let learned = self.step(&mut legs, loads, batch).await;
            let learned = learned.inspect_err(|_| self.0.doubt())?;
            if !learned.moved.is_empty() {
                self.0.known.moved(&learned.moved);
                self.0.doubt();
            }
            if learned.later {
                self.later(step).await;
            }
        }
        if legs.is_down() {
            self.0.doubt();
        }
        Ok(legs.end())
    }

    /// Sends each node its own, all at once.
    async fn step(
        &self,
        legs: &mut Legs<'_>,
        loads: Vec<Load>,
        batch: &[Request],
    ) -> Result<Learned, FarError> {
        let nodes = &self.0.nodes;
        let sends = loads.iter().map(|load| -> BoxFuture<'_, _> {
            Box::pin(async { nodes.send(load.to(), &load.requests(batch)).await })
        });
        let ends = together(sends.collect()).await;
        let mut learned = Learned::default();
        let mut errors = Vec::new();
        let mut answered = false;
        for (load, end) in loads.into_iter().zip(ends) {
            match end {
                Ok(replies) => {
                    answered = true;
                    legs.take(load, replies, &mut learned)?;
                }
                Err(error) => errors.push(error),
            }
        }
        match worst(errors) {
            Some(error) if answered && error.certainty() == Certainty::NotSent => {
                Err(FarError::unknown(InPart).in_part())
            }
            Some(error) if answered || nodes.serve() => Err(error.in_part()),
            Some(error) => Err(error),
            None => Ok(learned),
        }
    }

    /// Lets keys come, each time for about twice as long.
    async fn later(&self, step: u32) {
        let runtime = &self.0.runtime;
        let most = LATER.saturating_mul(2_u32.saturating_pow(step));
        let part = runtime.random() as f64 / u64::MAX as f64;
        runtime.sleep(most / 2 + most.mul_f64(part) / 2).await;
    }
}

/// The error that says least of what has run.
fn worst(errors: Vec<FarError>) -> Option<FarError> {
    let mut errors = errors.into_iter();
    let first = errors.next()?;
    let is_unknown = |error: &FarError| error.certainty() == Certainty::Unknown;
    if is_unknown(&first) {
        return Some(first);
    }
    Some(errors.find(is_unknown).unwrap_or(first))
}

impl Session for Spread {
    fn send<'a>(&'a self, batch: &'a [Request]) -> BoxFuture<'a, Result<Vec<Reply>, FarError>> {
        Box::pin(self.send_all(batch))
    }

    fn masters(&self) -> BoxFuture<'_, Result<usize, FarError>> {
        Box::pin(async { Ok(self.0.known.map().masters().len()) })
    }

    /// One master that answers is enough: each is watched by its own connection. What it knows of the
    /// others is taken.
    fn ping(&self) -> BoxFuture<'_, Result<(), ConnectError>> {
        Box::pin(async {
            let answered = self.0.refresh().await;
            answered.then_some(()).ok_or(ConnectErrorKind::Lost.into())
        })
    }

    /// Of all masters. A large answer of one that holds up all others is no silence.
    fn heard(&self) -> Heard {
        self.0.nodes.heard()
    }

    fn connections(&self) -> Vec<MasterHealth> {
        self.0.nodes.health()
    }

    fn is_watched(&self) -> bool {
        true
    }

    fn ended(&self) -> BoxFuture<'_, ConnectError> {
        Box::pin(std::future::pending())
    }
}

/// Some servers have answered, and another was not reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct InPart;

impl fmt::Display for InPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one of several masters cannot be reached")
    }
}

impl Error for InPart {}
