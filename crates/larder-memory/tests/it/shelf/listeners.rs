//! Who listens may do what it likes.

use std::sync::{Arc, Mutex, Weak};

use futures_lite::future::block_on;
use larder_core::far::{Bus, Change, Guarded, Message, Sink, Space, Want};
use larder_kit::Virtual;
use larder_memory::Shelf;

/// Who notes what it hears, and answers in its own way.
struct Ear<F> {
    heard: Mutex<Vec<u64>>,
    answer: F,
}

impl<F: Fn(Message) + Send + Sync + 'static> Ear<F> {
    fn of(shelf: &Shelf, answer: F) -> Arc<Self> {
        let heard = Mutex::default();
        let ear = Arc::new(Self { heard, answer });
        let weak: Weak<Self> = Arc::downgrade(&ear);
        shelf.listen(&space(), weak);
        ear
    }

    fn heard(&self) -> Vec<u64> {
        self.heard.lock().expect("not poisoned").clone()
    }
}

impl<F: Fn(Message) + Send + Sync + 'static> Sink for Ear<F> {
    fn receive(&self, message: Message) {
        self.heard
            .lock()
            .expect("not poisoned")
            .push(message.number);
        (self.answer)(message);
    }

    fn lost(&self) {}
}

fn space() -> Space {
    Space::new("deals".into(), 1, 7)
}

fn number(shelf: &Shelf) -> u64 {
    block_on(shelf.number(&space())).expect("nothing fails here")
}

#[test]
fn a_listener_that_changes_something_is_heard_in_order() {
    let shelf = Shelf::new(&Virtual::new());
    let start = number(&shelf);
    let inner = shelf.clone();
    // Answers a key's change with two more, as long as it is the first.
    let eager = Ear::of(&shelf, move |message: Message| {
        if message.change == Change::Key(larder_core::digest(b"1")) {
            let keys: [&[u8]; 2] = [b"2", b"3"];
            block_on(inner.invalidate(&space(), &keys)).expect("nothing fails here");
        }
    });
    let calm = Ear::of(&shelf, |_| {});
    block_on(shelf.invalidate(&space(), &[b"1"])).expect("nothing fails here");
    let wanted: Vec<_> = (1..=3).map(|step| start + step).collect();
    assert_eq!(eager.heard(), wanted);
    assert_eq!(calm.heard(), wanted);
}

#[test]
fn a_listener_finds_the_change_done() {
    let shelf = Shelf::new(&Virtual::new());
    let read = |shelf: &Shelf, want| {
        let read = block_on(shelf.read(&space(), &[b"1"], &[], want));
        read.expect("nothing fails here").remove(0).ticket
    };
    let ticket = read(&shelf, Want::Load);
    assert!(ticket.is_some());
    assert_eq!(read(&shelf, Want::Look), ticket);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (inner, looks) = (shelf.clone(), Arc::clone(&seen));
    let _ear = Ear::of(&shelf, move |_| {
        let look = read(&inner, Want::Look);
        looks.lock().expect("not poisoned").push(look);
    });
    block_on(shelf.invalidate(&space(), &[b"1"])).expect("nothing fails here");
    assert_eq!(*seen.lock().expect("not poisoned"), [None]);
}

#[test]
fn a_listener_that_panics_harms_no_one() {
    let shelf = Shelf::new(&Virtual::new());
    let start = number(&shelf);
    let broken = Ear::of(&shelf, |_| panic!("on purpose"));
    let calm = Ear::of(&shelf, |_| {});
    for _ in 0..2 {
        block_on(shelf.invalidate(&space(), &[b"1"])).expect("nothing fails here");
    }
    assert_eq!(calm.heard(), [start + 1, start + 2]);
    assert_eq!(broken.heard(), calm.heard());
}

/// Who looks into the store when it ends, and panics.
struct Leaver(Shelf, Arc<Mutex<Vec<u64>>>);

impl Sink for Leaver {
    fn receive(&self, _: Message) {}

    fn lost(&self) {}
}

impl Drop for Leaver {
    fn drop(&mut self) {
        let last = number(&self.0);
        self.1.lock().expect("not poisoned").push(last);
        panic!("on purpose");
    }
}

#[test]
fn a_listener_that_ends_while_it_is_told_does_so_where_nothing_is_locked() {
    let shelf = Shelf::new(&Virtual::new());
    let start = number(&shelf);
    let ends = Arc::new(Mutex::new(Vec::new()));
    let leaver = Arc::new(Leaver(shelf.clone(), Arc::clone(&ends)));
    let slot = Arc::new(Mutex::new(Some(Arc::clone(&leaver))));
    let own = Arc::clone(&slot);
    // Told first: from then on the list of who is to be told is the leaver's last owner.
    let _remover = Ear::of(&shelf, move |_| {
        let leaver = own.lock().expect("not poisoned").take();
        drop(leaver);
    });
    let weak: Weak<Leaver> = Arc::downgrade(&leaver);
    shelf.listen(&space(), weak);
    drop(leaver);
    let calm = Ear::of(&shelf, |_| {});
    for _ in 0..2 {
        block_on(shelf.invalidate(&space(), &[b"1"])).expect("nothing fails here");
    }
    assert_eq!(*ends.lock().expect("not poisoned"), [start + 1]);
    assert_eq!(calm.heard(), [start + 1, start + 2]);
}
