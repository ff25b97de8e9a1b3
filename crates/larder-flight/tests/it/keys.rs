//! Keys with code of their own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use larder_flight::{Entered, Flights, Limit, Slot, Stamps};
use larder_kit::Virtual;

use crate::cache::lock;

/// A key whose `Clone` and `Eq` panic when they are told to.
struct Touchy(Arc<Moods>);

#[derive(Default)]
struct Moods {
    clone: AtomicBool,
    eq: AtomicBool,
}

impl Clone for Touchy {
    fn clone(&self) -> Self {
        assert!(!self.0.clone.load(Ordering::Relaxed), "no clone");
        Self(Arc::clone(&self.0))
    }
}

impl PartialEq for Touchy {
    fn eq(&self, other: &Self) -> bool {
        assert!(!self.0.eq.load(Ordering::Relaxed), "no eq");
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Touchy {}

#[test]
fn a_key_that_panics_leaves_nothing_behind() {
    let time = Virtual::new();
    let stamps = Arc::new(Stamps::new(1));
    let flights = Flights::<Touchy, u64>::new(time.runtime(), Arc::clone(&stamps), Vec::new());
    let key = Touchy(Arc::default());
    let enter = || {
        let call = stamps.ticket(time.now());
        catch_unwind(AssertUnwindSafe(|| flights.enter(&key, Slot::new(0), call)))
    };
    key.0.clone.store(true, Ordering::Relaxed);
    assert!(enter().is_err());
    assert_eq!(flights.running(), 0);

    key.0.clone.store(false, Ordering::Relaxed);
    let lead = enter();
    assert!(lead.is_ok());
    key.0.eq.store(true, Ordering::Relaxed);
    assert!(enter().is_err());
    assert_eq!(flights.running(), 1);
    // The flight ends and leaves the board although its key cannot be compared.
    drop(lead);
    assert!(enter().is_ok());
    assert_eq!(flights.running(), 0);
}

#[test]
fn a_key_that_is_gone_from_the_board_is_dropped() {
    let time = Virtual::new();
    let stamps = Arc::new(Stamps::new(1));
    let flights = Flights::<Touchy, u64>::new(time.runtime(), Arc::clone(&stamps), Vec::new());
    let key = Touchy(Arc::default());
    let lead = flights.enter(&key, Slot::new(0), stamps.ticket(time.now()));
    assert_eq!(Arc::strong_count(&key.0), 2);
    drop(lead);
    assert_eq!(Arc::strong_count(&key.0), 1);
}

type Hook = Box<dyn FnOnce() + Send>;

/// A key that does something, once, when it is cloned.
#[derive(Default)]
struct Busy(Mutex<Option<Hook>>);

impl Clone for Busy {
    fn clone(&self) -> Self {
        let hook = lock(&self.0).take();
        if let Some(hook) = hook {
            hook();
        }
        Self::default()
    }
}

impl PartialEq for Busy {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Busy {}

/// Under no lock a key's `Clone` may even enter the same flights, or be slow. Who then finds that
/// somebody else leads joins, at a limit of one, too.
#[test]
fn while_a_key_is_cloned_another_caller_may_come_to_lead() {
    let time = Virtual::new();
    let stamps = Arc::new(Stamps::new(1));
    let limits = vec![Arc::new(Limit::new(1))];
    let flights = Flights::<Busy, u64>::new(time.runtime(), Arc::clone(&stamps), limits);
    let (flights, call) = (Arc::new(flights), stamps.ticket(time.now()));
    let first = Arc::new(OnceLock::new());
    let key = Busy::default();
    let hook = {
        let (flights, first) = (Arc::clone(&flights), Arc::clone(&first));
        move || {
            let entered = flights.enter(&Busy::default(), Slot::new(0), call);
            assert!(first.set(entered).is_ok());
        }
    };
    *lock(&key.0) = Some(Box::new(hook));
    let second = flights.enter(&key, Slot::new(0), call);
    assert!(matches!(first.get(), Some(Ok(Entered::Lead(_)))));
    assert!(matches!(second, Ok(Entered::Join(_))));
}
