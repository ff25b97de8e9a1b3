//! Many threads on one store.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Mutex, Weak};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use futures_lite::future::block_on;
use larder_core::Clock;
use larder_core::far::{self, Bus, Guarded, Message, Part, Sink, Space, Want};
use larder_memory::Shelf;

use super::only_clock::OnlyClock;

const KEY: &[u8] = b"5";

/// The version of the source, and the one that no reader may go below.
#[derive(Default)]
struct Source {
    version: AtomicU64,
    floor: AtomicU64,
    writer: Mutex<()>,
}

impl Source {
    /// Writes a new version and invalidates the old one, in one way of several.
    fn write(&self, shelf: &Shelf, space: &Space) {
        let _one = self.writer.lock().expect("no writer panics");
        let version = self.version.fetch_add(1, Ordering::SeqCst) + 1;
        let change = async {
            match version % 3 {
                0 => shelf.invalidate(space, &[KEY]).await,
                1 => shelf.drop_barrier(space, far::Barrier::Tag("tag")).await,
                _ => shelf.drop_barrier(space, far::Barrier::All).await,
            }
        };
        block_on(change).expect("nothing fails here");
        self.floor.store(version, Ordering::SeqCst);
    }

    /// Looks, and loads what is missing; the tag is known only from the value, now and then.
    fn read(&self, shelf: &Shelf, space: &Space, round: u64) {
        let floor = self.floor.load(Ordering::SeqCst);
        let tags: &[&str] = if round % 2 == 0 { &["tag"] } else { &[] };
        let read = block_on(shelf.read(space, &[KEY], tags, Want::Load));
        let read = read.expect("nothing fails here").remove(0);
        if let Some(found) = read.found {
            let version = found.bytes.as_ref().try_into().map(u64::from_be_bytes);
            let version = version.expect("whole values");
            assert!(
                version >= floor,
                "version {version} after {floor} was invalidated"
            );
            return;
        }
        let ticket = read.ticket.expect("a load gets a ticket");
        let version = self.version.load(Ordering::SeqCst);
        thread::yield_now();
        let bytes = Bytes::copy_from_slice(&version.to_be_bytes());
        let ends = Duration::from_secs(3600);
        let part = Part {
            bytes,
            tags: &["tag"],
            ends,
        };
        block_on(shelf.store_if(space, KEY, &ticket, part)).expect("nothing fails here");
    }
}

#[test]
fn no_thread_reads_what_was_invalidated_before() {
    let shelf = Shelf::new(&OnlyClock(Clock::monotonic()));
    let space = Space::new("deals".into(), 1, 7);
    let (source, start) = (Source::default(), Barrier::new(4));
    thread::scope(|scope| {
        for number in 0..4_u64 {
            let (shelf, space, source, start) = (&shelf, &space, &source, &start);
            scope.spawn(move || {
                start.wait();
                for round in 0..3000 {
                    match number == 0 || round % 7 == 0 {
                        true => source.write(shelf, space),
                        false => source.read(shelf, space, round),
                    }
                }
            });
        }
    });
}

/// Who notes the numbers it hears.
#[derive(Default)]
struct Numbers(Mutex<Vec<u64>>);

impl Sink for Numbers {
    fn receive(&self, message: Message) {
        self.0.lock().expect("not poisoned").push(message.number);
    }

    fn lost(&self) {}
}

#[test]
fn messages_of_many_threads_come_once_and_in_order() {
    let shelf = Shelf::new(&OnlyClock(Clock::monotonic()));
    let space = Space::new("deals".into(), 1, 7);
    let first = block_on(shelf.number(&space)).expect("nothing fails here") + 1;
    let ears = [(); 3].map(|()| Arc::new(Numbers::default()));
    for ear in &ears {
        let weak: Weak<Numbers> = Arc::downgrade(ear);
        shelf.listen(&space, weak);
    }
    let start = Barrier::new(4);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                start.wait();
                for _ in 0..1000 {
                    block_on(shelf.invalidate(&space, &[KEY])).expect("nothing fails here");
                }
            });
        }
    });
    for ear in ears {
        let heard = ear.0.lock().expect("not poisoned");
        assert!(heard.iter().copied().eq(first..first + 4000));
    }
}
