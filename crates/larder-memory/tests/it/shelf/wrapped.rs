//! The kit's far tiers over this store: each fault is what its name says.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_lite::future::block_on;
use larder_core::Store;
use larder_core::far::{
    Abilities, Bus, Certainty, FarError, FarTicket, Guarded, Part, Read, Space, Stored, Want,
};
use larder_kit::{Able, FailingFar, FarOperation, Fault, SlowFar, Virtual, WildBus, contract};
use larder_memory::Shelf;

pub(super) fn space() -> Space {
    Space::new("deals".into(), 1, 7)
}

fn part(bytes: &'static str) -> Part<'static> {
    let ends = Duration::from_secs(3600);
    Part {
        bytes: bytes.into(),
        tags: &["tag"],
        ends,
    }
}

fn read(far: &dyn Guarded, want: Want) -> Result<Read, FarError> {
    block_on(far.read(&space(), &[b"5"], &["tag"], want)).map(|mut all| all.remove(0))
}

fn ticket(far: &dyn Guarded) -> FarTicket {
    let read = read(far, Want::Load).expect("nothing fails yet");
    read.ticket.expect("a load gets a ticket")
}

pub(super) fn fill(far: &dyn Guarded) {
    let ticket = ticket(far);
    let stored = block_on(far.store_if(&space(), b"5", &ticket, part("old")));
    assert_eq!(stored.expect("nothing fails yet"), Stored::Stored);
}

fn is_there(far: &dyn Guarded) -> bool {
    read(far, Want::Look)
        .expect("the shelf never fails")
        .found
        .is_some()
}

pub(super) fn invalidate(far: &dyn Guarded) -> Result<(), Certainty> {
    block_on(far.invalidate(&space(), &[b"5"])).map_err(|error| error.certainty())
}

fn failing(shelf: &Shelf) -> FailingFar {
    FailingFar::new(Arc::new(shelf.clone()))
}

fn wrapped(time: &Virtual) -> Abilities {
    let shelf = Arc::new(Shelf::new(time));
    let slow = SlowFar::new(Arc::new(FailingFar::new(
        Arc::clone(&shelf) as Arc<dyn Guarded>
    )));
    let bus = WildBus::new(Arc::clone(&shelf) as Arc<dyn Bus>);
    let abilities = Abilities::default().guarded(&Arc::new(slow));
    let abilities = abilities.bus(&Arc::new(bus)).sweep(&shelf);
    Arc::new(Able::new(Shelf::clone(&shelf), abilities)).abilities()
}

#[test]
fn without_a_fault_they_keep_the_contract() {
    contract::guarded(wrapped);
    contract::bus(wrapped);
    contract::sweep(wrapped);
}

#[test]
fn a_fault_says_what_is_known_and_does_what_it_says() {
    let faults = [
        (Fault::NotSent, Certainty::NotSent, true),
        (Fault::Lost, Certainty::Unknown, true),
        (Fault::Done, Certainty::Unknown, false),
        (Fault::Late, Certainty::Unknown, true),
    ];
    for (fault, certainty, stays) in faults {
        let shelf = Shelf::new(&Virtual::new());
        let far = failing(&shelf);
        fill(&far);
        far.fail(FarOperation::Invalidate, fault, 1);
        assert_eq!(invalidate(&far), Err(certainty), "{fault:?}");
        assert_eq!(is_there(&shelf), stays, "{fault:?}");
        let late = far.late();
        assert_eq!(late.len(), usize::from(fault == Fault::Late));
        for call in late {
            assert_eq!(call.operation(), FarOperation::Invalidate);
            block_on(call.run()).expect("the shelf never fails");
            assert!(!is_there(&shelf));
        }
        assert_eq!(invalidate(&far), Ok(()), "once only");
        assert_eq!(far.calls(FarOperation::Invalidate), 2);
    }
}

#[test]
fn every_operation_can_fail_and_heal() {
    let far = failing(&Shelf::new(&Virtual::new()));
    let (space, ticket) = (space(), ticket(&far));
    let all = || async {
        let certainty = |error: FarError| error.certainty();
        let tag = larder_core::far::Barrier::Tag("tag");
        [
            far.read(&space, &[b"5"], &[], Want::Look)
                .await
                .err()
                .map(certainty),
            far.store_if(&space, b"5", &ticket, part("new"))
                .await
                .err()
                .map(certainty),
            far.put_if(&space, b"5", &ticket, part("new"))
                .await
                .err()
                .map(certainty),
            far.invalidate(&space, &[b"5"]).await.err().map(certainty),
            far.expire(&space, &[b"5"]).await.err().map(certainty),
            far.drop_barrier(&space, tag).await.err().map(certainty),
            far.release(&space, b"5", &ticket)
                .await
                .err()
                .map(certainty),
        ]
    };
    for fault in [
        Fault::NotSent,
        Fault::Busy,
        Fault::Lost,
        Fault::Done,
        Fault::Late,
    ] {
        far.die(fault);
        let wanted = match fault {
            Fault::NotSent | Fault::Busy => Certainty::NotSent,
            _ => Certainty::Unknown,
        };
        assert_eq!(block_on(all()), [Some(wanted); 7], "{fault:?}");
        let late = far.late();
        let late: Vec<_> = late.iter().map(|call| call.operation()).collect();
        let wanted = if fault == Fault::Late {
            &FarOperation::ALL[..]
        } else {
            &[]
        };
        assert_eq!(late, wanted);
        far.heal();
        assert_eq!(block_on(all()), [None; 7]);
    }
}

#[test]
fn late_calls_run_in_any_order() {
    let shelf = Shelf::new(&Virtual::new());
    let far = failing(&shelf);
    let ticket = ticket(&far);
    far.die(Fault::Late);
    let space = space();
    let store = far.store_if(&space, b"5", &ticket, part("old"));
    assert!(block_on(store).is_err());
    assert_eq!(invalidate(&far), Err(Certainty::Unknown));
    for call in far.late().into_iter().rev() {
        block_on(call.run()).expect("the shelf never fails");
    }
    assert!(!is_there(&shelf), "the store came after the invalidation");
}

/// Whether the future ends when it is polled.
pub(super) fn ends(future: &mut (impl Future + Unpin)) -> bool {
    let mut context = Context::from_waker(Waker::noop());
    matches!(pin!(future).poll(&mut context), Poll::Ready(_))
}

#[test]
fn a_gate_stands_before_the_operation_or_before_its_answer() {
    for (after, left, stays) in [
        (false, true, true),
        (true, true, false),
        (false, false, false),
    ] {
        let shelf = Shelf::new(&Virtual::new());
        let far = SlowFar::new(Arc::new(shelf.clone()));
        fill(&far);
        let gate = match after {
            true => far.hold_after(FarOperation::Invalidate),
            false => far.hold_before(FarOperation::Invalidate),
        };
        let space = space();
        let mut call = far.invalidate(&space, &[b"5"]);
        assert!(!ends(&mut call));
        assert_eq!(gate.waiting(), 1);
        assert_eq!(is_there(&shelf), !after);
        if !left {
            gate.open();
            assert!(ends(&mut call));
        }
        drop(call);
        assert_eq!(is_there(&shelf), stays);
        far.hurry();
        assert_eq!(invalidate(&far), Ok(()));
    }
}

#[test]
fn a_delay_is_one_of_virtual_time() {
    let time = Virtual::new();
    let shelf = Shelf::new(&time);
    let far = SlowFar::new(Arc::new(shelf.clone()));
    fill(&far);
    far.delay(
        FarOperation::Invalidate,
        Duration::from_secs(5),
        time.runtime(),
    );
    let call = time.spawn(async move { far.invalidate(&space(), &[b"5"]).await });
    time.advance(Duration::from_millis(4999));
    assert!(!call.is_finished() && is_there(&shelf));
    time.advance(Duration::from_millis(1));
    assert!(call.is_finished() && !is_there(&shelf));
}

#[test]
fn a_silent_server_carries_out_what_was_sent_after_its_caller_has_left() {
    let shelf = Shelf::new(&Virtual::new());
    let failing = Arc::new(failing(&shelf));
    let far = SlowFar::new(Arc::clone(&failing) as Arc<dyn Guarded>);
    fill(&far);
    failing.fail(FarOperation::Invalidate, Fault::Late, 1);
    let _closed = far.hold_after(FarOperation::Invalidate);
    let space = space();
    let mut call = far.invalidate(&space, &[b"5"]);
    assert!(!ends(&mut call));
    drop(call);
    assert!(is_there(&shelf));
    for call in failing.late() {
        block_on(call.run()).expect("the shelf never fails");
    }
    assert!(!is_there(&shelf));
}
