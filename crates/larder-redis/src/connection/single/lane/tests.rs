//! The lane, moved by hand: a server that takes so many bytes, and a sender who counts its turns.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;

use futures_lite::AsyncWrite;

use super::*;

mod sends;

/// Takes so many bytes in all, for now, and counts the calls.
#[derive(Clone, Default)]
struct Server {
    taken: Arc<Mutex<Vec<u8>>>,
    room: Arc<AtomicUsize>,
    calls: Arc<AtomicUsize>,
}

impl Server {
    fn with_room(room: usize) -> Self {
        let server = Self::default();
        server.room.store(room, Ordering::Relaxed);
        server
    }

    fn taken(&self) -> String {
        String::from_utf8(self.taken.lock().unwrap().clone()).unwrap()
    }
}

impl AsyncWrite for Server {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let room = self.room.load(Ordering::Relaxed);
        let count = bytes.len().min(room);
        self.room.fetch_sub(count, Ordering::Relaxed);
        self.taken
            .lock()
            .unwrap()
            .extend_from_slice(&bytes[..count]);
        if count == 0 {
            Poll::Pending
        } else {
            Poll::Ready(Ok(count))
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Counts how often it is woken.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

struct Sender {
    woken: Arc<Woken>,
    waker: Waker,
}

impl Sender {
    /// One that has had its first turn.
    fn of(lane: &Lane) -> Self {
        let woken = Arc::<Woken>::default();
        let sender = Self {
            waker: Waker::from(Arc::clone(&woken)),
            woken,
        };
        assert!(sender.turn(lane).is_pending());
        sender
    }

    fn turn(&self, lane: &Lane) -> Poll<()> {
        lane.poll_send(&Context::from_waker(&self.waker))
    }

    fn woken(&self) -> usize {
        self.woken.0.load(Ordering::Relaxed)
    }
}

fn lane(server: &Server) -> Lane {
    Lane::new(Box::new(server.clone()), Arc::default())
}

fn asked<'a>(lane: &'a Lane, text: &str) -> (Arc<Place>, Duty<'a>) {
    let asked = lane.ask(1, |out| out.extend_from_slice(text.as_bytes()));
    asked.unwrap()
}

/// By one who gets no turn any more.
fn ask(lane: &Lane, text: &str) -> Arc<Place> {
    let (place, duty) = asked(lane, text);
    std::mem::forget(duty);
    place
}

/// By one who has all its turns.
fn send(lane: &Lane, text: &str) -> Arc<Place> {
    asked(lane, text).0
}

/// Gives it a turn; whether it has asked for one more.
fn turn(duty: &mut Duty<'_>) -> bool {
    let woken = Arc::<Woken>::default();
    let waker = Waker::from(Arc::clone(&woken));
    duty.poll(&Context::from_waker(&waker));
    woken.0.load(Ordering::Relaxed) > 0
}

fn poll(place: &Place) -> Poll<Result<Vec<Reply>, ConnectErrorKind>> {
    place.poll(&Context::from_waker(Waker::noop()))
}

fn answer(lane: &Lane, numbers: &[i64]) -> Result<(), ConnectErrorKind> {
    lane.answer(numbers.iter().map(|number| Reply::Int(*number)))
}

#[test]
fn what_a_server_does_not_take_goes_out_later_and_in_order() {
    let server = Server::with_room(3);
    let lane = lane(&server);
    let sender = Sender::of(&lane);
    let _places = ["abcd", "efgh"].map(|text| send(&lane, text));
    assert_eq!(server.taken(), "abc");
    for _ in 0..5 {
        server.room.store(1, Ordering::Relaxed);
        assert!(sender.turn(&lane).is_pending());
    }
    assert_eq!(server.taken(), "abcdefgh");
}

#[test]
fn what_goes_out_while_the_system_is_full_is_no_silence() {
    let ledger = Arc::<Ledger>::default();
    let server = Server::with_room(100);
    let lane = Lane::new(Box::new(server.clone()), Arc::clone(&ledger));
    let sender = Sender::of(&lane);
    let _place = send(&lane, &"x".repeat(300));
    assert_eq!(
        ledger.read().bytes,
        0,
        "the system has taken it, and perhaps nobody else"
    );
    assert!(sender.turn(&lane).is_pending());
    assert_eq!(ledger.read().bytes, 0, "it takes no more");
    server.room.store(150, Ordering::Relaxed);
    assert!(sender.turn(&lane).is_pending());
    assert_eq!(ledger.read().bytes, 150);
    let _next = send(&lane, "next");
    server.room.store(1000, Ordering::Relaxed);
    assert!(sender.turn(&lane).is_pending());
    assert_eq!((ledger.read().bytes, ledger.read().answers), (204, 0));
}

#[test]
fn a_system_that_is_full_is_not_asked_by_each_who_comes() {
    let server = Server::with_room(1);
    let lane = lane(&server);
    let sender = Sender::of(&lane);
    let places: Vec<_> = (0..3 * MOST).map(|_| ask(&lane, "x")).collect();
    assert_eq!(
        server.calls.load(Ordering::Relaxed),
        2,
        "one took a byte, one none"
    );
    server.room.store(1000, Ordering::Relaxed);
    assert!(sender.turn(&lane).is_pending());
    assert_eq!(server.taken().len(), places.len());
}

#[test]
fn who_leaves_moves_no_answer_of_others() {
    let server = Server::with_room(1000);
    let lane = lane(&server);
    let _sender = Sender::of(&lane);
    drop(ask(&lane, "a"));
    let second = ask(&lane, "b");
    answer(&lane, &[1, 2]).unwrap();
    assert_eq!(poll(&second), Poll::Ready(Ok(vec![Reply::Int(2)])));
}

#[test]
fn bug_g1_an_answer_that_nobody_waits_for_is_garbage() {
    let server = Server::with_room(1000);
    let lane = lane(&server);
    let _sender = Sender::of(&lane);
    let place = ask(&lane, "a");
    assert_eq!(answer(&lane, &[1, 2]), Err(ConnectErrorKind::Garbage));
    assert!(poll(&place).is_ready(), "the first was for somebody");
}

#[test]
fn at_the_end_all_are_told_and_nobody_is_taken_any_more() {
    let server = Server::with_room(1000);
    let lane = lane(&server);
    let sender = Sender::of(&lane);
    let places = ["a", "b"].map(|text| ask(&lane, text));
    lane.end(ConnectErrorKind::Lost);
    lane.end(ConnectErrorKind::Garbage);
    for place in places {
        assert_eq!(poll(&place), Poll::Ready(Err(ConnectErrorKind::Lost)));
    }
    assert_eq!(
        lane.ask(1, |_| ()).map(drop).err(),
        Some(ConnectErrorKind::Lost)
    );
    assert!(sender.turn(&lane).is_ready());
}

#[test]
fn a_server_that_takes_nothing_any_more_is_the_end() {
    struct Gone;
    impl AsyncWrite for Gone {
        fn poll_write(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            _: &[u8],
        ) -> Poll<io::Result<usize>> {
            Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }
    let lane = Lane::new(Box::new(Gone), Arc::default());
    let sender = Sender::of(&lane);
    let place = send(&lane, "a");
    assert_eq!(poll(&place), Poll::Ready(Err(ConnectErrorKind::Lost)));
    assert_eq!(sender.woken(), 1, "to end as well");
    assert!(sender.turn(&lane).is_ready());
    let late = answer(&lane, &[1]);
    assert_eq!(late, Err(ConnectErrorKind::Lost), "and not garbage");
}
