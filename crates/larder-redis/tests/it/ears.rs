//! Who hears what.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, Weak, mpsc};
use std::thread;
use std::time::Duration;

use larder_core::far::{Bus, Change, Message, Sink};

use crate::told::{Told, empty};
use crate::{deals, over};

/// Keeps what it hears.
#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Heard {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    fn weak(self: &Arc<Self>) -> Weak<dyn Sink> {
        let weak: Weak<Self> = Arc::downgrade(self);
        weak
    }
}

impl Sink for Heard {
    fn receive(&self, message: Message) {
        let Message {
            node,
            number,
            change,
        } = message;
        self.0
            .lock()
            .unwrap()
            .push(format!("{number} of {node}: {change:?}"));
    }

    fn lost(&self) {
        self.0.lock().unwrap().push("lost".to_owned());
    }

    fn wake(&self, key: u64) {
        self.0.lock().unwrap().push(format!("wake {key}"));
    }
}

fn bytes(kind: u8, number: &str) -> bytes::Bytes {
    let head = [&[1, kind][..], &2_u64.to_le_bytes(), &7_u64.to_le_bytes()];
    [&head.concat(), number.as_bytes()].concat().into()
}

#[test]
fn an_ear_hears_messages_wakes_and_losses() {
    let wire = Told::new(empty);
    let redis = over(&wire);
    let heard = Arc::new(Heard::default());
    redis.listen(&deals(), heard.weak());
    let (channel, ear) = wire.ears.lock().unwrap().pop().unwrap();
    assert_eq!(channel, "{larder:deals}:messages");
    let ear = ear.upgrade().unwrap();
    ear.ready();
    assert_eq!(heard.take(), ["lost"], "what came before is not known");
    ear.message(bytes(b'k', "9"));
    ear.message(bytes(b'w', ""));
    assert_eq!(
        heard.take(),
        [format!("9 of 2: {:?}", Change::Key(7)), "wake 7".to_owned()]
    );
    ear.message(bytes(b'?', "10"));
    assert_eq!(
        heard.take(),
        [format!("10 of 2: {:?}", Change::All)],
        "of a later version"
    );
    ear.message("what is this".into());
    assert_eq!(heard.take(), ["lost"], "it may have named anything");
    ear.lost();
    assert_eq!(heard.take(), ["lost"]);
}

/// The server behind the new connection may never have heard of what was acknowledged over the old one.
#[test]
fn a_heartbeat_over_another_connection_tells_of_a_loss() {
    let wire = Told::new(empty);
    let redis = over(&wire);
    let heard = Arc::new(Heard::default());
    redis.listen(&deals(), heard.weak());
    let beat = || {
        let deals = deals();
        let number = futures_lite::future::block_on(redis.number(&deals));
        assert_eq!(number.unwrap(), 5);
        heard.take()
    };
    assert_eq!([beat(), beat()].concat(), [] as [&str; 0]);
    wire.generation.store(2, Ordering::Relaxed);
    assert_eq!(beat(), ["lost"]);
    assert_eq!(beat(), [] as [&str; 0]);
    // It was gone when it was looked at, which says nothing.
    wire.generation.store(0, Ordering::Relaxed);
    assert_eq!(beat(), [] as [&str; 0]);
    wire.generation.store(3, Ordering::Relaxed);
    assert_eq!(beat(), ["lost"]);
}

#[test]
fn one_subscription_serves_all_who_listen_to_a_cache() {
    let wire = Told::new(empty);
    let redis = over(&wire);
    let [one, two] = [(), ()].map(|()| Arc::new(Heard::default()));
    redis.listen(&deals(), one.weak());
    redis.listen(&deals(), two.weak());
    assert_eq!(wire.ears.lock().unwrap().len(), 1);
    let ear = wire.ears.lock().unwrap()[0].1.upgrade().unwrap();
    ear.message(bytes(b'a', "9"));
    assert_eq!((one.take().len(), two.take().len()), (1, 1));
    drop(one);
    ear.message(bytes(b'a', "10"));
    assert_eq!(two.take().len(), 1);
}

#[test]
fn a_channel_to_which_nobody_listens_is_let_go() {
    let wire = Told::new(empty);
    let redis = over(&wire);
    let gone = Arc::new(Heard::default());
    redis.listen(&deals(), gone.weak());
    drop(gone);
    let users = larder_core::far::Space::new("users".into(), 1, 7);
    let stays = Arc::new(Heard::default());
    redis.listen(&users, stays.weak());
    let ears = wire.ears.lock().unwrap();
    assert_eq!(ears[0].1.strong_count(), 0);
    assert_eq!(ears[1].1.strong_count(), 1);
}

/// Has another listen whenever it hears of something.
struct Brings(larder_redis::Redis, Arc<Heard>);

impl Sink for Brings {
    fn receive(&self, _: Message) {
        self.lost();
    }

    fn lost(&self) {
        self.0.listen(&deals(), self.1.weak());
    }
}

#[test]
fn who_is_told_may_listen_anew() {
    let wire = Told::new(empty);
    let redis = over(&wire);
    let heard = Arc::new(Heard::default());
    let brings = Arc::new(Brings(redis.clone(), heard.clone()));
    let sink: Weak<Brings> = Arc::downgrade(&brings);
    redis.listen(&deals(), sink);
    let (_, ear) = wire.ears.lock().unwrap().pop().unwrap();
    let ear = ear.upgrade().unwrap();
    let (told, ends) = mpsc::channel();
    thread::spawn(move || {
        ear.lost();
        ear.message(bytes(b'k', "11"));
        told.send(()).unwrap();
    });
    let patience = Duration::from_secs(60);
    assert_eq!(ends.recv_timeout(patience), Ok(()), "it hangs");
    assert_eq!(heard.take(), ["11 of 2: Key(7)"]);
}
