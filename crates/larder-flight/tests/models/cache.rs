//! The smallest cache over flights, for one key, and what checks it.

use std::future::Future;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use larder_core::sync::Mutex;
use larder_core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use larder_core::{LoadError, LoadErrorKind, Runtime, Ticket};
use larder_flight::{Entered, Flights, Lead, Limit, Slot, Stamps};
use larder_kit::Interleaved;
use shuttle::future::block_on;

pub(super) const DEADLINE: Duration = Duration::from_secs(1);
const KEY: &str = "eggs";

/// Clones are the same cache.
#[derive(Clone)]
pub(super) struct Cache(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) time: Interleaved,
    pub(super) stamps: Arc<Stamps>,
    pub(super) flights: Flights<&'static str, u64>,
    pub(super) limit: Arc<Limit>,
    kept: Mutex<Option<(u64, Ticket)>>,
    source: AtomicU64,
    loads: AtomicUsize,
}

impl Cache {
    pub(super) fn new() -> Self {
        let (time, stamps) = (Interleaved::new(), Arc::new(Stamps::new(4)));
        let limit = Arc::new(Limit::new(8));
        let runtime: Arc<dyn Runtime> = Arc::new(time.clone());
        let flights = Flights::new(runtime, Arc::clone(&stamps), vec![Arc::clone(&limit)]);
        let (kept, source, loads) = (Mutex::default(), AtomicU64::new(1), AtomicUsize::new(0));
        Self(Arc::new(Inner {
            time,
            stamps,
            flights,
            limit,
            kept,
            source,
            loads,
        }))
    }

    pub(super) fn slot(&self) -> Slot {
        self.0.stamps.slot(KEY)
    }

    pub(super) fn loads(&self) -> usize {
        self.0.loads.load(Ordering::SeqCst)
    }

    /// The source moves on, and what was read before is invalidated. Gives the new version.
    pub(super) fn change(&self) -> u64 {
        let version = self.0.source.fetch_add(1, Ordering::SeqCst) + 1;
        self.0.stamps.raise(self.slot());
        version
    }

    pub(super) fn enter(&self) -> Result<Entered<&'static str, u64>, LoadError> {
        let call = self.0.stamps.ticket(self.0.time.now());
        self.0.flights.enter(&KEY, self.slot(), call)
    }

    /// The version that is kept, if it is current.
    pub(super) fn kept(&self) -> Option<u64> {
        let kept = self.0.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (version, ticket) = (*kept)?;
        let current = self.0.stamps.is_current(self.slot(), ticket);
        current.then_some(version)
    }

    pub(super) fn keep(&self, version: u64, ticket: Ticket) -> u64 {
        let mut kept = self.0.kept.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some((version, ticket));
        version
    }

    /// A load of the source's version.
    pub(super) fn load(&self) -> impl Future<Output = Result<u64, LoadError>> + Send + use<> {
        let cache = self.clone();
        async move {
            cache.0.loads.fetch_add(1, Ordering::SeqCst);
            Ok(cache.0.source.load(Ordering::SeqCst))
        }
    }

    /// Leads with a detached load; what is there already is not loaded again.
    pub(super) async fn lead(&self, lead: Lead<&'static str, u64>) -> Result<u64, LoadError> {
        if let Some(version) = self.kept() {
            lead.settle(version);
            return Ok(version);
        }
        let (cache, ticket) = (self.clone(), lead.ticket());
        let keep = move |version| cache.keep(version, ticket);
        lead.start(DEADLINE, self.load(), keep).wait().await
    }

    /// Leads with a load in the caller's task.
    pub(super) async fn lead_here(&self, lead: Lead<&'static str, u64>) -> Result<u64, LoadError> {
        let ticket = lead.ticket();
        let keep = |version| self.keep(version, ticket);
        lead.hold(DEADLINE, self.load(), keep).await
    }

    /// A call: what is kept, else what a load gives.
    pub(super) async fn call(&self) -> Result<u64, LoadError> {
        if let Some(version) = self.kept() {
            return Ok(version);
        }
        loop {
            let answer = match self.enter()? {
                Entered::Lead(lead) => self.lead(lead).await,
                Entered::Join(waiter) => waiter.wait().await,
            };
            match answer {
                Err(error) if error.kind() == LoadErrorKind::HandedOver => {}
                answer => return answer,
            }
        }
    }

    /// A call in a thread of its own.
    pub(super) fn caller(&self) -> shuttle::thread::JoinHandle<Result<u64, LoadError>> {
        let cache = self.clone();
        shuttle::thread::spawn(move || block_on(cache.call()))
    }

    /// All tasks have ended and no place is taken any more.
    pub(super) fn rest(&self) {
        block_on(self.0.time.rest());
        assert_eq!((self.0.flights.running(), self.0.limit.in_use()), (0, 0));
    }
}
