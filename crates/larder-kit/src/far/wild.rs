//! A bus that loses, doubles and reorders.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, Weak};

use larder_core::BoxFuture;
use larder_core::far::{Bus, Change, FarError, Message, Sink, Space};

use crate::{Gate, KitError, lock};

/// A bus that loses, doubles, holds and reorders messages as a test says, and can be cut; clones
/// are the same bus.
///
/// It is one node's connection to the bus underneath: give each larder of a test one of its own.
/// What is said of messages holds for each that arrives, whoever listens.
#[derive(Clone)]
pub struct WildBus {
    bus: Arc<dyn Bus>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    ears: Vec<Arc<Ear>>,
    cut: bool,
    lose: usize,
    copies: usize,
    hold: bool,
    held: VecDeque<(Message, Weak<dyn Sink>)>,
    heartbeat: Option<Gate>,
}

/// Who listens to the bus underneath for somebody who listens here.
struct Ear {
    sink: Weak<dyn Sink>,
    state: Weak<Mutex<State>>,
}

impl WildBus {
    /// A bus that does what `bus` does, until it is told otherwise.
    #[must_use]
    pub fn new(bus: Arc<dyn Bus>) -> Self {
        Self {
            bus,
            state: Arc::default(),
        }
    }

    /// The next `count` messages are lost, and nobody is told.
    pub fn lose(&self, count: usize) {
        self.with(|state| state.lose = count);
    }

    /// From now on each message comes `copies` times more.
    pub fn double(&self, copies: usize) {
        self.with(|state| state.copies = copies);
    }

    /// From now on messages are held back, until they are [delivered](Self::deliver).
    pub fn hold(&self) {
        self.with(|state| state.hold = true);
    }

    /// How many messages are held back.
    #[must_use]
    pub fn held(&self) -> usize {
        self.with(|state| state.held.len())
    }

    /// Delivers what is held back, in order or the last first; later messages come at once again.
    pub fn deliver(&self, reversed: bool) {
        let mut held = self.with(|state| {
            state.hold = false;
            std::mem::take(&mut state.held)
        });
        if reversed {
            held.make_contiguous().reverse();
        }
        for (message, sink) in held {
            give(&sink, message);
        }
    }

    /// Tells all who listen that somebody who is not larder has touched the key with this digest;
    /// nobody, if it is cut.
    pub fn touch(&self, key: u64) {
        if self.connected().is_err() {
            return;
        }
        let ears = self.with(|state| state.ears.clone());
        for sink in ears.iter().filter_map(|ear| ear.sink.upgrade()) {
            sink.touched(key);
        }
    }

    /// Cuts the connection: messages and wakes are lost, a heartbeat or a message of its own is
    /// not sent, and nobody is told, as when a peer just falls silent.
    pub fn cut(&self) {
        self.with(|state| state.cut = true);
    }

    /// Mends the connection, and tells all who listen that messages may be lost.
    pub fn mend(&self) {
        let ears = self.with(|state| {
            state.cut = false;
            state.ears.clone()
        });
        for sink in ears.iter().filter_map(|ear| ear.sink.upgrade()) {
            sink.lost();
        }
    }

    /// From now on a heartbeat is sent at once and answers when the gate returned is open.
    #[must_use]
    pub fn hold_heartbeat(&self) -> Gate {
        let gate = Gate::closed();
        self.with(|state| state.heartbeat = Some(gate.clone()));
        gate
    }

    fn with<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut lock(&self.state))
    }

    fn connected(&self) -> Result<(), FarError> {
        let cut = self.with(|state| state.cut);
        let error = || FarError::not_sent(KitError::new("the bus is cut on purpose"));
        (!cut).then_some(()).ok_or_else(error)
    }
}

impl Bus for WildBus {
    fn listen(&self, space: &Space, sink: Weak<dyn Sink>) {
        let state = Arc::downgrade(&self.state);
        let ear = Arc::new(Ear { sink, state });
        let weak: Weak<Ear> = Arc::downgrade(&ear);
        self.with(|state| {
            state.ears.retain(|ear| ear.sink.strong_count() > 0);
            state.ears.push(ear);
        });
        self.bus.listen(space, weak);
    }

    fn hears_writers(&self) -> Result<(), &'static str> {
        self.bus.hears_writers()
    }

    fn number<'a>(&'a self, space: &'a Space) -> BoxFuture<'a, Result<u64, FarError>> {
        Box::pin(async move {
            self.connected()?;
            let number = self.bus.number(space).await;
            let gate = self.with(|state| state.heartbeat.clone());
            if let Some(gate) = gate {
                gate.wait().await;
            }
            number
        })
    }

    fn publish<'a>(
        &'a self,
        space: &'a Space,
        change: Change,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        Box::pin(async move {
            self.connected()?;
            self.bus.publish(space, change).await
        })
    }
}

impl Sink for Ear {
    fn receive(&self, message: Message) {
        let Some(state) = self.state.upgrade() else {
            return;
        };
        let copies = lock(&state).arrived(message, &self.sink);
        for _ in 0..copies {
            give(&self.sink, message);
        }
    }

    fn lost(&self) {
        if let Some(sink) = self.sink.upgrade() {
            sink.lost();
        }
    }

    fn touched(&self, key: u64) {
        if let Some(sink) = self.sink.upgrade() {
            sink.touched(key);
        }
    }

    fn wake(&self, key: u64) {
        let cut = |state: Arc<Mutex<State>>| lock(&state).cut;
        if self.state.upgrade().is_none_or(cut) {
            return;
        }
        if let Some(sink) = self.sink.upgrade() {
            sink.wake(key);
        }
    }
}

impl State {
    /// How often a message is to be given out now.
    fn arrived(&mut self, message: Message, sink: &Weak<dyn Sink>) -> usize {
        if self.cut {
            return 0;
        }
        if self.lose > 0 {
            self.lose -= usize::from(self.lose != usize::MAX);
            return 0;
        }
        let copies = 1 + self.copies;
        if self.hold {
            let again = std::iter::repeat_n((message, Weak::clone(sink)), copies);
            self.held.extend(again);
            return 0;
        }
        copies
    }
}

fn give(sink: &Weak<dyn Sink>, message: Message) {
    if let Some(sink) = sink.upgrade() {
        sink.receive(message);
    }
}

impl fmt::Debug for WildBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = self.held();
        let mut out = f.debug_struct("WildBus");
        out.field("held", &held).finish_non_exhaustive()
    }
}
