//! A load that those who wait for it poll, until it is better off in a task of its own.

use std::collections::BTreeMap;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use larder_core::sync::atomic::{AtomicBool, Ordering};
use larder_core::sync::{Mutex, MutexGuard};
use larder_core::{BoxFuture, guard};

use crate::flight::Flight;
use crate::nesting::Mark;

/// Where the load of a flight is: with those who wait for it, or with the runtime.
///
/// Whoever of them is polled when it is woken polls it for all, so that nobody depends on another who
/// is not. It goes to the runtime once: when the last has left, or when it says so itself.
pub(crate) struct Carried {
    inside: Mutex<Inside>,
    /// Whether it is to be polled.
    woken: AtomicBool,
}

struct Inside {
    load: Place,
    waiting: Waiting,
}

/// Who is told when the load is to be polled, or is somewhere else: where each was polled last.
///
/// No listeners of an event: a wake may come from one, and would find its list locked. What is not
/// needed any more is dropped when ours is free: that may be the end of a task with a wait of its own.
struct Waiting {
    leader: Option<Waker>,
    others: BTreeMap<u64, Waker>,
    last: u64,
}

/// One of those who wait.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Who {
    Leader,
    /// By number; none before the first wait.
    Other(Option<u64>),
}

impl Waiting {
    fn add(&mut self, who: &mut Who, waker: Waker) -> Option<Waker> {
        let Who::Other(number) = who else {
            return self.leader.replace(waker);
        };
        let number = *number.get_or_insert_with(|| {
            self.last += 1;
            self.last
        });
        self.others.insert(number, waker)
    }

    fn remove(&mut self, who: Who) -> Option<Waker> {
        match who {
            Who::Leader => self.leader.take(),
            Who::Other(number) => self.others.remove(&number?),
        }
    }

    /// All of them, to be told.
    fn take(&mut self) -> impl Iterator<Item = Waker> + use<> {
        let others = std::mem::take(&mut self.others).into_values();
        self.leader.take().into_iter().chain(others)
    }
}

enum Place {
    Here(BoxFuture<'static, ()>),
    /// Somebody polls it. The runtime is to have it then, if it is `wanted` there.
    Polled {
        wanted: bool,
    },
    /// With the runtime, or ended.
    Gone,
}

impl Carried {
    pub(crate) const fn nothing() -> Self {
        Self {
            inside: Mutex::new(Inside {
                load: Place::Gone,
                waiting: Waiting {
                    leader: None,
                    others: BTreeMap::new(),
                    last: 0,
                },
            }),
            woken: AtomicBool::new(false),
        }
    }

    fn put(&self, load: BoxFuture<'static, ()>) {
        self.woken.store(true, Ordering::Release);
        self.lock().load = Place::Here(load);
    }

    /// The load, if it is here and to be polled, and whether it is anywhere but with the runtime. Then
    /// who asks is told of the next wake.
    fn take(&self, who: &mut Who, waker: &Waker) -> (Option<BoxFuture<'static, ()>>, bool) {
        let waker = waker.clone();
        let _old;
        let mut inside = self.lock();
        if let Place::Gone = inside.load {
            return (None, false);
        }
        _old = inside.waiting.add(who, waker);
        let is_here = matches!(inside.load, Place::Here(_));
        if !is_here || !self.woken.swap(false, Ordering::AcqRel) {
            return (None, true);
        }
        let polled = Place::Polled { wanted: false };
        match std::mem::replace(&mut inside.load, polled) {
            Place::Here(load) => (Some(load), true),
            _ => (None, true),
        }
    }

    /// Puts the load back, after a poll that was not the last; gives it back if the runtime is to
    /// have it.
    fn put_back(&self, load: BoxFuture<'static, ()>) -> Option<BoxFuture<'static, ()>> {
        let mut inside = self.lock();
        if let Place::Polled { wanted: true } = inside.load {
            inside.load = Place::Gone;
            return Some(load);
        }
        inside.load = Place::Here(load);
        None
    }

    /// It has ended, or is the runtime's, as `who` has seen. Gives the others, to be told.
    fn end(&self, who: Who) -> impl Iterator<Item = Waker> + use<> {
        let _old;
        let mut inside = self.lock();
        inside.load = Place::Gone;
        _old = inside.waiting.remove(who);
        inside.waiting.take()
    }

    /// The load, if it is here, for the runtime.
    fn take_away(&self) -> Option<BoxFuture<'static, ()>> {
        let mut inside = self.lock();
        match std::mem::replace(&mut inside.load, Place::Gone) {
            Place::Here(load) => Some(load),
            other => {
                inside.load = other;
                None
            }
        }
    }

    /// Whether the load is with the runtime; if not, it is on its way there.
    fn is_away(&self) -> bool {
        match &mut self.lock().load {
            Place::Polled { wanted } => {
                *wanted = true;
                false
            }
            Place::Here(_) | Place::Gone => true,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<V> Flight<V> {
    /// Gives the load to those who wait for it.
    pub(crate) fn carry(&self, load: BoxFuture<'static, ()>) {
        self.carried().put(load);
    }

    /// Polls the load, if it is here and was woken; whether it is still not the runtime's. Then who
    /// asks is woken when it is to be polled again, and when that changes.
    pub(crate) fn poll_carried(&self, who: &mut Who, waker: &Waker) -> bool {
        let carried = self.carried();
        let (load, is_carried) = carried.take(who, waker);
        let Some(mut load) = load else {
            return is_carried;
        };
        let flight = Waker::from(Arc::clone(self.mark()));
        let polled = load.as_mut().poll(&mut Context::from_waker(&flight));
        if polled.is_pending() {
            let Some(load) = carried.put_back(load) else {
                if carried.woken.load(Ordering::Acquire) {
                    self.mark().woken();
                }
                return true;
            };
            self.time().spawn(load);
        }
        let others = carried.end(*who);
        guard!(PollerTells, others.for_each(Waker::wake), ());
        false
    }

    /// Forgets one who waits no more.
    pub(crate) fn forget(&self, who: Who) {
        let old = self.carried().lock().waiting.remove(who);
        drop(old);
    }

    /// Has the runtime take the load, if it is here.
    pub(crate) fn send_away(&self) {
        if let Some(load) = self.carried().take_away() {
            self.time().spawn(load);
        }
    }

    fn carried(&self) -> &Carried {
        self.mark().carried()
    }
}

impl Mark {
    /// The load is to be polled: tells all who wait for it.
    fn woken(&self) {
        let carried = self.carried();
        carried.woken.store(true, Ordering::Release);
        let waiting = carried.lock().waiting.take();
        let told = guard!(WakesAll, usize::MAX, 1);
        waiting.take(told).for_each(Waker::wake);
    }
}

impl Wake for Mark {
    fn wake(self: Arc<Self>) {
        self.woken();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken();
    }
}

impl fmt::Debug for Carried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Carried")
            .field("woken", &self.woken)
            .finish_non_exhaustive()
    }
}

/// The way of a [carried](crate::Lead::carry) load to the runtime.
pub struct Away<V> {
    flight: Arc<Flight<V>>,
}

impl<V> Away<V> {
    pub(crate) fn new(flight: &Arc<Flight<V>>) -> Self {
        let flight = Arc::clone(flight);
        Self { flight }
    }

    /// Goes on when the load is polled by the runtime, in a task of its own; at once if it is.
    ///
    /// To be awaited by the load itself, before anything that its callers are not to do for it.
    pub async fn go(&self) {
        poll_fn(|_| {
            if self.flight.carried().is_away() {
                Poll::Ready(())
            } else {
                // Whoever polls it sees to it when this poll is over.
                Poll::Pending
            }
        })
        .await;
    }
}

impl<V> fmt::Debug for Away<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Away").field(&self.flight).finish()
    }
}
