//! The smallest cache over flights: what a caller of this crate does, and no more.

use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use larder_core::{LoadError, LoadErrorKind, Ticket};
use larder_flight::{Entered, Flights, Lead, Limit, Slot, Stamps, Waiter};
use larder_kit::Virtual;

pub(crate) type Answer = Result<u64, LoadError>;

/// A cache of numbers; clones are the same cache.
#[derive(Clone)]
pub(crate) struct Cache(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) time: Virtual,
    pub(crate) stamps: Arc<Stamps>,
    pub(crate) flights: Flights<u64, u64>,
    pub(crate) limit: Arc<Limit>,
    near: Mutex<Near>,
    loads: AtomicUsize,
}

impl std::ops::Deref for Cache {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

type Near = HashMap<u64, (u64, Ticket)>;

pub(crate) const DEADLINE: Duration = Duration::from_secs(1);

impl Cache {
    pub(crate) fn new(time: &Virtual) -> Self {
        Self::bounded(time, 1_000)
    }

    pub(crate) fn bounded(time: &Virtual, max: usize) -> Self {
        let stamps = Arc::new(Stamps::new(64));
        let limit = Arc::new(Limit::new(max));
        let limits = vec![Arc::clone(&limit)];
        Self(Arc::new(Inner {
            time: time.clone(),
            flights: Flights::new(time.runtime(), Arc::clone(&stamps), limits),
            stamps,
            limit,
            near: Mutex::default(),
            loads: AtomicUsize::new(0),
        }))
    }

    pub(crate) fn loads(&self) -> usize {
        self.loads.load(Ordering::SeqCst)
    }

    pub(crate) fn slot(&self, key: u64) -> Slot {
        self.stamps.slot(&key)
    }

    pub(crate) fn ticket(&self) -> Ticket {
        self.stamps.ticket(self.time.now())
    }

    pub(crate) fn invalidate(&self, key: u64) {
        self.stamps.raise(self.slot(key));
    }

    fn lock(&self) -> MutexGuard<'_, Near> {
        lock(&self.near)
    }

    /// What near holds for `key` and may be used.
    pub(crate) fn near(&self, key: u64) -> Option<u64> {
        let (value, ticket) = self.lock().get(&key).copied()?;
        self.stamps
            .is_current(self.slot(key), ticket)
            .then_some(value)
    }

    /// Joins the load of `key`, or starts it, without a look at near.
    pub(crate) fn enter(
        &self,
        key: u64,
        call: Ticket,
        load: impl Future<Output = Answer> + Send + 'static,
    ) -> Result<Waiter<u64>, LoadError> {
        Ok(match self.flights.enter(&key, self.slot(key), call)? {
            Entered::Join(waiter) => waiter,
            Entered::Lead(lead) => self.start(key, lead, load),
        })
    }

    /// As [`enter`](Self::enter), for a call that begins now and is not refused.
    pub(crate) fn load(
        &self,
        key: u64,
        load: impl Future<Output = Answer> + Send + 'static,
    ) -> Waiter<u64> {
        let entered = self.enter(key, self.ticket(), load);
        entered.expect("too many loads are running")
    }

    /// Leads the load of a key that nobody loads.
    pub(crate) fn lead(&self, key: u64) -> Lead<u64, u64> {
        let entered = self.flights.enter(&key, self.slot(key), self.ticket());
        let Ok(Entered::Lead(lead)) = entered else {
            panic!("somebody loads {key}, or too many do")
        };
        lead
    }

    /// Joins the load of a key, which somebody must have started.
    pub(crate) fn join(&self, key: u64) -> Waiter<u64> {
        let entered = self.flights.enter(&key, self.slot(key), self.ticket());
        let Ok(Entered::Join(waiter)) = entered else {
            panic!("nobody loads {key}")
        };
        waiter
    }

    /// Counts the load and keeps its value in near.
    pub(crate) fn start(
        &self,
        key: u64,
        lead: Lead<u64, u64>,
        load: impl Future<Output = Answer> + Send + 'static,
    ) -> Waiter<u64> {
        self.loads.fetch_add(1, Ordering::SeqCst);
        let (cache, ticket) = (self.clone(), lead.ticket());
        lead.start(DEADLINE, load, move |value| {
            cache.lock().insert(key, (value, ticket));
            value
        })
    }

    /// The read-through: look, enter, look again, load; and once more if what was joined was
    /// invalidated meanwhile.
    pub(crate) async fn get(
        &self,
        key: u64,
        load: impl Future<Output = Answer> + Send + 'static,
    ) -> Answer {
        let (call, slot) = (self.ticket(), self.slot(key));
        if let Some(value) = self.near(key) {
            return Ok(value);
        }
        let lead = match self.flights.enter(&key, slot, call)? {
            Entered::Lead(lead) => lead,
            Entered::Join(waiter) => {
                let ticket = waiter.ticket();
                let answer = waiter.wait().await;
                if ticket.clock >= call.clock || self.stamps.is_current(slot, ticket) {
                    return answer;
                }
                return self.load(key, load).wait().await;
            }
        };
        if let Some(value) = self.near(key) {
            lead.settle(value);
            return Ok(value);
        }
        self.start(key, lead, load).wait().await
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn failed(text: &'static str) -> LoadError {
    LoadError::source(text)
}

pub(crate) fn kind(answer: Answer) -> Result<u64, LoadErrorKind> {
    answer.map_err(|error| error.kind())
}
