//! Which load is being polled on this thread, and which loads wait for which.
//!
//! A load that drives an executor from inside its own poll lends its name to the tasks it polls: to
//! wait for that load in one of them counts as recursion, and the thread is stuck in it indeed.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use event_listener::{Event, EventListener};
use larder_core::sync::atomic::{AtomicBool, Ordering};
use larder_core::{LoadError, LoadErrorKind};

use crate::carried::Carried;

/// What names a load in the whole process, and is known of one of its flights whatever it brings:
/// whether it is over, and who is told of that. Most loads have one.
#[derive(Debug)]
pub(crate) struct Mark {
    id: u64,
    over: AtomicBool,
    changed: Event,
    carried: Carried,
}

impl Mark {
    pub(crate) fn new() -> Arc<Self> {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self::of(LAST.fetch_add(1, Ordering::Relaxed))
    }

    fn of(id: u64) -> Arc<Self> {
        Arc::new(Self {
            id,
            over: AtomicBool::new(false),
            changed: Event::new(),
            carried: Carried::nothing(),
        })
    }

    /// The mark of another flight of the same load, which is over by itself.
    pub(crate) fn beside(&self) -> Arc<Self> {
        Self::of(self.id)
    }

    /// Whether its waiters have their answer.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    pub(crate) fn set_over(&self) {
        self.over.store(true, Ordering::Release);
    }

    /// Tells all who listen to look again.
    pub(crate) fn tell(&self) {
        self.changed.notify(usize::MAX);
    }

    pub(crate) fn listen(&self) -> EventListener {
        self.changed.listen()
    }

    /// The load, if those who wait for it poll it.
    pub(crate) const fn carried(&self) -> &Carried {
        &self.carried
    }
}

larder_core::sync::thread_local! {
    static INSIDE: Cell<Option<Arc<Mark>>> = const { Cell::new(None) };
}

/// Says that this thread polls the load of a flight, until it is dropped.
pub(crate) struct Inside {
    outer: Option<Arc<Mark>>,
}

impl Inside {
    pub(crate) fn enter(mark: &Arc<Mark>) -> Self {
        let outer = swap(Some(Arc::clone(mark)));
        Self { outer }
    }

    /// The flight whose load this thread polls, the innermost one.
    fn innermost() -> Option<Arc<Mark>> {
        let mark = swap(None);
        swap(mark.clone());
        mark
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        swap(self.outer.take());
    }
}

/// A thread that is ending has no such value any more and polls no load that could ask for it.
fn swap(mark: Option<Arc<Mark>>) -> Option<Arc<Mark>> {
    INSIDE
        .try_with(|inside| inside.replace(mark))
        .ok()
        .flatten()
}

/// The waits of loads for flights, process-wide: a circle may run through several caches. Only
/// calls from inside a load come here. A load may wait for one flight several times at once.
static WAITS: Mutex<Waits> = Mutex::new(Waits(BTreeMap::new()));

struct Waits(BTreeMap<u64, Vec<Arc<Mark>>>);

impl Waits {
    fn lock() -> MutexGuard<'static, Self> {
        WAITS.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether `target` is the flight `id` or waits for it, itself or through others.
    fn leads_to(&self, target: &Mark, id: u64) -> bool {
        let mut seen = BTreeSet::new();
        let mut ahead = vec![target];
        while let Some(mark) = ahead.pop() {
            // Whoever waits for a flight that is over is about to go on.
            if mark.is_over() || !seen.insert(mark.id) {
                continue;
            }
            if mark.id == id {
                return true;
            }
            let targets = self.0.get(&mark.id).into_iter().flatten();
            ahead.extend(targets.map(Arc::as_ref));
        }
        false
    }
}

/// One wait of a load for a flight; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Wait {
    from: u64,
    target: Arc<Mark>,
}

impl Wait {
    /// Notes that the load polled on this thread, if any, waits for `target`. `noted` is what the
    /// last poll gave; it stays as it is unless another load polls now.
    ///
    /// Fails if the load would wait for itself, directly or through others.
    pub(crate) fn note(noted: &mut Option<Self>, target: &Arc<Mark>) -> Result<(), LoadError> {
        let inside = Inside::innermost().map(|mark| mark.id);
        if inside != noted.as_ref().map(|wait| wait.from) {
            *noted = None;
            *noted = inside.map(|from| Self::begin(from, target)).transpose()?;
        }
        Ok(())
    }

    fn begin(from: u64, target: &Arc<Mark>) -> Result<Self, LoadError> {
        let target = Arc::clone(target);
        let mut waits = Waits::lock();
        if waits.leads_to(&target, from) {
            return Err(recursive());
        }
        waits.0.entry(from).or_default().push(Arc::clone(&target));
        Ok(Self { from, target })
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        let mut waits = Waits::lock();
        let Some(targets) = waits.0.get_mut(&self.from) else {
            return;
        };
        if let Some(at) = targets.iter().position(|mark| mark.id == self.target.id) {
            targets.swap_remove(at);
        }
        if targets.is_empty() {
            waits.0.remove(&self.from);
        }
    }
}

fn recursive() -> LoadError {
    LoadError::new(
        LoadErrorKind::Recursive,
        "the load waits for itself, directly or through other loads",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(from: &Arc<Mark>, target: &Arc<Mark>) -> Result<Option<Wait>, LoadError> {
        let _inside = Inside::enter(from);
        let mut noted = None;
        Wait::note(&mut noted, target)?;
        Ok(noted)
    }

    #[test]
    fn a_flight_that_is_over_closes_no_circle() {
        let [a, b, c] = [Mark::new(), Mark::new(), Mark::new()];
        let waits = [wait(&a, &b), wait(&b, &c)];
        assert!(waits.iter().all(|wait| matches!(wait, Ok(Some(_)))));
        assert!(wait(&c, &a).is_err());
        // Its load hangs, and so does its wait; `a` has heard of its end and is about to go on.
        b.set_over();
        assert!(wait(&c, &a).is_ok());
    }

    #[test]
    fn waits_that_ended_leave_nothing_behind() {
        let [a, b] = [Mark::new(), Mark::new()];
        let twice = [wait(&a, &b), wait(&a, &b)];
        assert!(Waits::lock().0.contains_key(&a.id));
        drop(twice);
        assert!(!Waits::lock().0.contains_key(&a.id));
    }

    #[test]
    fn outside_of_loads_no_wait_is_noted() {
        let mut noted = None;
        assert!(Wait::note(&mut noted, &Mark::new()).is_ok());
        assert!(noted.is_none());
    }
}
