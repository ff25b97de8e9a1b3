//! The kit's wild bus over this store.

use std::sync::{Arc, Mutex, Weak};

use futures_lite::future::block_on;
use larder_core::far::{Bus, Certainty, Change, Message, Sink};
use larder_kit::{Virtual, WildBus};
use larder_memory::Shelf;

use super::wrapped::{ends, fill, invalidate, space};

/// Who notes what it hears.
#[derive(Default)]
struct Ear(Mutex<Vec<String>>);

impl Ear {
    fn of(bus: &WildBus) -> Arc<Self> {
        let ear = Arc::new(Self::default());
        let weak: Weak<Self> = Arc::downgrade(&ear);
        bus.listen(&space(), weak);
        ear
    }

    fn note(&self, text: impl Into<String>) {
        self.0.lock().expect("not poisoned").push(text.into());
    }

    fn heard(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().expect("not poisoned"))
    }
}

impl Sink for Ear {
    fn receive(&self, message: Message) {
        match message.change {
            Change::Key(key) => self.note(format!("{key}")),
            _ => self.note("other"),
        }
    }

    fn lost(&self) {
        self.note("lost");
    }

    fn wake(&self, _: u64) {
        self.note("wake");
    }
}

#[test]
fn a_wild_bus_loses_doubles_and_reorders() {
    let shelf = Shelf::new(&Virtual::new());
    let bus = WildBus::new(Arc::new(shelf.clone()));
    let ear = Ear::of(&bus);
    let tell = |keys: &[u64]| {
        for key in keys {
            block_on(shelf.publish(&space(), Change::Key(*key))).expect("nothing fails here");
        }
    };
    tell(&[1, 2]);
    assert_eq!(ear.heard(), ["1", "2"]);
    bus.lose(2);
    tell(&[3, 4, 5]);
    assert_eq!(ear.heard(), ["5"]);
    bus.double(1);
    tell(&[6]);
    assert_eq!(ear.heard(), ["6", "6"]);
    bus.double(0);
    for (reversed, wanted) in [(true, ["9", "8", "7"]), (false, ["7", "8", "9"])] {
        bus.hold();
        tell(&[7, 8, 9]);
        assert_eq!(bus.held(), 3);
        assert_eq!(ear.heard(), Vec::<String>::new());
        bus.deliver(reversed);
        assert_eq!(ear.heard(), wanted);
    }
    tell(&[10]);
    assert_eq!(ear.heard(), ["10"]);
    let gone = Arc::downgrade(&ear);
    drop(ear);
    assert!(gone.upgrade().is_none());
    tell(&[11]);
}

#[test]
fn a_cut_bus_is_silent_until_it_is_mended() {
    let shelf = Shelf::new(&Virtual::new());
    let bus = WildBus::new(Arc::new(shelf.clone()));
    let ear = Ear::of(&bus);
    let number = || block_on(bus.number(&space())).map_err(|error| error.certainty());
    let before = number().expect("not cut yet");
    bus.cut();
    fill(&shelf);
    assert_eq!(invalidate(&shelf), Ok(()));
    assert_eq!(number(), Err(Certainty::NotSent));
    assert!(block_on(bus.publish(&space(), Change::All)).is_err());
    assert_eq!(ear.heard(), Vec::<String>::new());
    bus.mend();
    assert_eq!(ear.heard(), ["lost"]);
    assert_eq!(
        number(),
        Ok(before + 1),
        "the message that was lost has a number"
    );
    fill(&shelf);
    assert_eq!(ear.heard(), ["wake"]);
}

#[test]
fn a_held_heartbeat_answers_with_the_number_of_when_it_was_sent() {
    let shelf = Shelf::new(&Virtual::new());
    let bus = WildBus::new(Arc::new(shelf.clone()));
    let space = space();
    let before = block_on(bus.number(&space)).expect("nothing fails here");
    let gate = bus.hold_heartbeat();
    let mut heartbeat = bus.number(&space);
    assert!(!ends(&mut heartbeat));
    assert_eq!(invalidate(&shelf), Ok(()));
    gate.open();
    assert_eq!(block_on(heartbeat).expect("nothing fails here"), before);
}
