//! One load per key.

use std::fmt;
use std::sync::Arc;

use larder_core::{LoadError, LoadErrorKind, Moment, Runtime, Ticket, guard};

use crate::board::Board;
use crate::flight::{Flight, Shown};
use crate::lead::Lead;
use crate::limit::{Limit, Permit, Permits};
use crate::nesting::Mark;
use crate::seat::Seat;
use crate::stamps::{Slot, Stamps};
use crate::time::Time;
use crate::waiter::Waiter;

/// The running loads of one cache: one per key, bounded in number.
///
/// See the [crate](crate) for an example. A load outlives this object.
pub struct Flights<K, V> {
    board: Arc<Board<K, V>>,
    stamps: Arc<Stamps>,
    time: Arc<Time>,
    running: Arc<Limit>,
    limits: Vec<Arc<Limit>>,
}

/// What a caller is to do.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "there is no third")]
pub enum Entered<K, V> {
    /// Run the load.
    Lead(Lead<K, V>),
    /// Wait for one that is running.
    Join(Waiter<V>),
}

impl<K, V> Flights<K, V> {
    /// No flights yet. Each load takes a permit of every one of `limits` for as long as it runs.
    /// The runtime is asked for its clock here, once.
    #[must_use]
    pub fn new(runtime: Arc<dyn Runtime>, stamps: Arc<Stamps>, limits: Vec<Arc<Limit>>) -> Self {
        Self {
            board: Arc::new(Board::new()),
            stamps,
            time: Arc::new(Time::new(runtime)),
            running: Arc::new(Limit::new(usize::MAX)),
            limits,
        }
    }

    /// How many loads have a leader and have not ended. A load that blocks its thread past its
    /// deadline counts until it really ends.
    #[must_use]
    pub fn running(&self) -> usize {
        self.running.in_use()
    }

    /// When the newest load of `key` that is running began; `None` if none is.
    pub fn began(&self, key: &K, slot: Slot) -> Option<Moment>
    where
        K: Eq,
    {
        let runs = |flight: &Flight<V>| !flight.mark().is_over();
        let flight = self.board.lock(slot).find(slot, key, runs)?;
        Some(flight.ticket().at)
    }

    /// A permit of every limit, or none.
    fn permits(&self) -> Result<Permits, LoadError> {
        let limits = self.limits.iter().chain([&self.running]);
        limits.map(permit).collect()
    }
}

/// What the flights of one load share.
struct Shared {
    mark: Arc<Mark>,
    permits: Permits,
}

impl<K: Eq + Clone, V> Flights<K, V> {
    /// Joins the running load of `key`, or becomes its leader.
    ///
    /// `call` is the ticket taken when the call began. A load is joined only if its answer may be
    /// used for this call: if it began no earlier, or if nothing that invalidates the key has
    /// happened since it began; and if neither its answer is out nor its deadline has passed.
    /// Otherwise the caller leads a new one; the other's waiters still get its answer.
    ///
    /// `slot` is the key's slot in the stamps that were given at the start.
    ///
    /// Costs a lock of one of 16 shards to join, and two locks, a clone of the key and four
    /// allocations to lead. A panic in `Eq` or `Clone` of the key leaves nothing behind.
    ///
    /// # Errors
    /// `Refused` if the caller would lead and a limit is reached.
    pub fn enter(&self, key: &K, slot: Slot, call: Ticket) -> Result<Entered<K, V>, LoadError> {
        let fits = |flight: &Flight<V>| self.may_join(flight, slot, call);
        self.enter_if((key, slot), None, &mut None, fits)
    }

    /// As [`enter`](Self::enter) for each of several keys. The caller leads some of them, and those
    /// are for **one** load: it counts once at every limit. [`Leads`](crate::Leads) start it.
    ///
    /// Nothing waits here, so callers whose keys overlap never wait for each other in a circle. A
    /// key that is given twice joins itself.
    ///
    /// # Errors
    /// `Refused` for each key that the caller would lead, if a limit is reached.
    pub fn enter_many<'a>(
        &self,
        keys: impl IntoIterator<Item = (&'a K, Slot)>,
        call: Ticket,
    ) -> Vec<Result<Entered<K, V>, LoadError>>
    where
        K: 'a,
    {
        let mut shared = None;
        let enter = |(key, slot)| {
            let fits = |flight: &Flight<V>| self.may_join(flight, slot, call);
            self.enter_if((key, slot), None, &mut shared, fits)
        };
        keys.into_iter().map(enter).collect()
    }

    /// As [`enter`](Self::enter), for a load that shows something of itself while it runs: who joins
    /// it finds that in its [`Waiter`]. A load that shows something is only joined if `joins` says
    /// so of its ticket and of what it shows; `joins` is asked under a lock.
    ///
    /// # Errors
    /// As there.
    pub fn enter_showing(
        &self,
        key: &K,
        slot: Slot,
        call: Ticket,
        shown: Shown,
        joins: impl Fn(Ticket, &Shown) -> bool,
    ) -> Result<Entered<K, V>, LoadError> {
        let fits = |flight: &Flight<V>| {
            let shown = flight.shown();
            self.may_join(flight, slot, call)
                && shown.is_none_or(|shown| joins(flight.ticket(), shown))
        };
        self.enter_if((key, slot), Some(shown), &mut None, fits)
    }

    fn enter_if(
        &self,
        (key, slot): (&K, Slot),
        shown: Option<Shown>,
        shared: &mut Option<Shared>,
        fits: impl Fn(&Flight<V>) -> bool,
    ) -> Result<Entered<K, V>, LoadError> {
        let found = self.board.lock(slot).find(slot, key, &fits);
        if let Some(waiter) = found.and_then(Waiter::joining) {
            return Ok(Entered::Join(waiter));
        }
        // The user's code runs outside the lock; hence the second look.
        let key = key.clone();
        let mut shard = self.board.lock(slot);
        if let Some(waiter) =
            guard!(SecondFind, shard.find(slot, &key, &fits), None).and_then(Waiter::joining)
        {
            return Ok(Entered::Join(waiter));
        }
        // Under the lock, so that nobody is refused for the sake of one whom it could join.
        let (mark, permits) = self.part(shared)?;
        let ticket = self.stamps.ticket(self.time.now());
        let flight = Flight::new(mark, ticket, Arc::clone(&self.time), permits).showing(shown);
        let flight = Arc::new(flight);
        let place = shard.insert(slot, key, Arc::clone(&flight));
        let seat = Seat::new(Arc::clone(&self.board), place, flight);
        Ok(Entered::Lead(Lead::new(seat)))
    }

    /// One more flight's part of what the load's flights share.
    fn part(&self, shared: &mut Option<Shared>) -> Result<(Arc<Mark>, Permits), LoadError> {
        if let Some(shared) = shared {
            return Ok((shared.mark.beside(), Arc::clone(&shared.permits)));
        }
        let (mark, permits) = (Mark::new(), self.permits()?);
        *shared = Some(Shared {
            mark: Arc::clone(&mark),
            permits: Arc::clone(&permits),
        });
        Ok((mark, permits))
    }

    fn may_join(&self, flight: &Flight<V>, slot: Slot, call: Ticket) -> bool {
        let ticket = flight.ticket();
        let answers = ticket.clock >= call.clock || self.stamps.is_current(slot, ticket);
        guard!(JoinCheck, answers, true) && !flight.mark().is_over() && !flight.is_due(call.at)
    }
}

fn permit(limit: &Arc<Limit>) -> Result<Permit, LoadError> {
    let refused = || {
        let text = format!("{} loads are running, and no more may", limit.max());
        LoadError::new(LoadErrorKind::Refused, text)
    };
    limit.try_acquire().ok_or_else(refused)
}

impl<K, V> fmt::Debug for Flights<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flights")
            .field("running", &self.running())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
