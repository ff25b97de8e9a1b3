//! Callers who come as the last one leaves.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use larder_flight::{Entered, Waiter};
use larder_kit::{Gate, Virtual};

use crate::cache::{Cache, DEADLINE};

/// Two came between the last who left and the end of the load: the first, who was sent away, made
/// the second one's place.
#[test]
fn l2_nobody_joins_a_load_that_ends_with_its_last_caller_however_often_they_try() {
    let time = Virtual::new();
    let (cache, gate) = (Cache::new(&time), Gate::closed());
    let lead = cache.lead(1);
    lead.end_with_callers();
    let last: Arc<Mutex<Option<Waiter<u64>>>> = Arc::default();
    let joined = Arc::new(AtomicUsize::new(0));
    let (held, leaving) = (gate.clone(), Arc::clone(&last));
    let (again, joins) = (cache.clone(), Arc::clone(&joined));
    let load = async move {
        held.wait().await;
        Ok(7)
    };
    // Here the load has its result, and nobody has been told.
    let keep = move |value| {
        drop(leaving.lock().unwrap().take());
        for _ in 0..4 {
            let entered = again.flights.enter(&1, again.slot(1), again.ticket());
            if let Ok(Entered::Join(_)) = entered {
                joins.fetch_add(1, Ordering::SeqCst);
            }
        }
        value
    };
    *last.lock().unwrap() = Some(lead.start(DEADLINE, load, keep));
    time.run_until_idle();
    gate.open();
    time.run_until_idle();
    assert!(last.lock().unwrap().is_none(), "it has left");
    assert_eq!(
        (joined.load(Ordering::SeqCst), cache.flights.running()),
        (0, 0)
    );
}
