//! One load for several keys.

use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_lite::FutureExt;
use larder_core::{LoadError, Ticket};

use crate::caught::discard;
use crate::early::Early;
use crate::flight::Flight;
use crate::lead::{Lead, poll};
use crate::load::Load;
use crate::seat::Seat;
use crate::waiter::Waiter;

/// The right and the duty to run one load for several keys, of which each has a flight of its own:
/// others join them one by one.
///
/// They come from one [`enter_many`](crate::Flights::enter_many). Dropped, they end their flights as
/// a [`Lead`] does.
///
/// ```
/// use std::{sync::Arc, time::Duration};
/// use larder_core::Runtime;
/// use larder_flight::{Early, Entered, Flights, Leads, Limit, Stamps};
///
/// let time = larder_kit::Virtual::new();
/// let stamps = Arc::new(Stamps::new(64));
/// let running = Arc::new(Limit::new(1));
/// let flights = Flights::new(time.runtime(), Arc::clone(&stamps), vec![Arc::clone(&running)]);
///
/// let keys = ["eggs", "milk"];
/// let places = keys.iter().map(|key| (key, stamps.slot(key)));
/// let entered = flights.enter_many(places, stamps.ticket(time.now()));
/// let leads: Leads<_, _> = entered
///     .into_iter()
///     .filter_map(|entered| match entered {
///         Ok(Entered::Lead(lead)) => Some(lead),
///         _ => None,
///     })
///     .collect();
/// assert_eq!((leads.len(), running.in_use()), (2, 1));
/// let load = |early: Early<u32>| async move {
///     early.give(1, Ok(1));
///     Ok(vec![Ok(12)])
/// };
/// let waiters = leads.start(Duration::from_secs(30), load, |_, stock| stock);
/// for (waiter, stock) in waiters.into_iter().zip([12, 1]) {
///     assert_eq!(time.block_on(waiter.wait())?, stock);
/// }
/// # Ok::<(), larder_core::LoadError>(())
/// ```
pub struct Leads<K, V>(Vec<Seat<K, V>>);

impl<K, V> Leads<K, V> {
    /// How many keys the load is for.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is nothing to load.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The tickets of the keys, in the order in which they were entered.
    pub fn tickets(&self) -> impl Iterator<Item = Ticket> {
        self.0.iter().map(|seat| seat.flight().ticket())
    }

    /// Lets a key's flight end when its last caller has left, as [`Lead::end_with_callers`], and the
    /// load with the last of its flights.
    pub fn end_with_callers(&self) {
        self.0
            .iter()
            .for_each(|seat| seat.flight().set_cancels(true));
    }

    /// As [`Lead::hold`]; gives the answers of the keys.
    pub fn hold<T, F>(
        mut self,
        deadline: Duration,
        load: impl FnOnce(Early<T>) -> F,
        keep: impl FnMut(usize, T) -> V,
    ) -> impl Future<Output = Vec<Result<V, LoadError>>>
    where
        V: Clone,
        F: Future<Output = Result<Vec<Result<T, LoadError>>, LoadError>>,
    {
        self.0.iter_mut().for_each(Seat::hold);
        let flights = self.begin(deadline);
        let early = Early::new();
        let first = flights.first();
        let load = first.map(|first| loading(first, load(early.again())));
        async move {
            if let Some(load) = load {
                run(self.0, load, early, keep).await;
            }
            let answer = |flight: &Arc<Flight<V>>| {
                let answer = flight.answer().cloned();
                answer.unwrap_or_else(|| Err(flight.timed_out()))
            };
            flights.iter().map(answer).collect()
        }
    }

    fn begin(&self, deadline: Duration) -> Vec<Arc<Flight<V>>> {
        let flights = self.0.iter().map(|seat| Arc::clone(seat.flight()));
        flights.inspect(|flight| flight.begin(deadline)).collect()
    }
}

impl<K, V> Leads<K, V>
where
    K: Send + Sync + 'static,
    V: Send + Sync + 'static,
{
    /// As [`Lead::start`], for all keys at once: what the load knows [early](Early) of some ends
    /// their flights, and at its end it gives one result for each of the others, in their order.
    /// `keep` is told which key it is. A key whose result fails, or whose `keep` panics, fails alone;
    /// a key without a result is `Refused`.
    ///
    /// Costs what one load costs, and a task for all.
    pub fn start<T, F>(
        self,
        deadline: Duration,
        load: impl FnOnce(Early<T>) -> F,
        keep: impl FnMut(usize, T) -> V + Send + 'static,
    ) -> Vec<Waiter<V>>
    where
        T: Send + 'static,
        F: Future<Output = Result<Vec<Result<T, LoadError>>, LoadError>> + Send + 'static,
    {
        let flights = self.begin(deadline);
        let Some(first) = flights.first() else {
            return Vec::new();
        };
        let early = Early::new();
        let load = loading(first, load(early.again()));
        let task = AssertUnwindSafe(run(self.0, load, early, keep)).catch_unwind();
        (first.time()).spawn(Box::pin(async { discard(task.await) }));
        flights.into_iter().map(Waiter::leading).collect()
    }
}

fn loading<V, F>(first: &Flight<V>, load: F) -> Load<F> {
    Load::new(Arc::clone(first.mark()), load)
}

async fn run<K, V, F, T>(
    seats: Vec<Seat<K, V>>,
    mut load: Load<F>,
    early: Early<T>,
    mut keep: impl FnMut(usize, T) -> V,
) where
    F: Future<Output = Result<Vec<Result<T, LoadError>>, LoadError>>,
{
    let flights: Vec<_> = seats.iter().map(|seat| Arc::clone(seat.flight())).collect();
    let mut seats: Vec<_> = seats.into_iter().map(Some).collect();
    let mut asleep = None;
    let ended = poll_fn(|cx| {
        let polled = poll(&flights, &mut load, &mut asleep, cx);
        for (at, result) in early.take() {
            if let Some(seat) = seats.get_mut(at).and_then(Option::take) {
                seat.end(|| result.map(|result| keep(at, result)));
            }
        }
        polled
    });
    let ended = ended.await;
    drop(load);
    let seats = seats.into_iter().enumerate();
    let seats = seats.filter_map(|(at, seat)| Some((at, seat?)));
    match ended {
        Err(error) => seats.for_each(|(_, seat)| seat.end(|| Err(error.clone()))),
        Ok(results) => {
            for ((at, seat), result) in seats.zip(results) {
                seat.end(|| result.map(|result| keep(at, result)));
            }
        }
    }
}

impl<K, V> FromIterator<Lead<K, V>> for Leads<K, V> {
    fn from_iter<I: IntoIterator<Item = Lead<K, V>>>(leads: I) -> Self {
        Self(leads.into_iter().map(Lead::into_seat).collect())
    }
}

impl<K, V> fmt::Debug for Leads<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0).finish()
    }
}
