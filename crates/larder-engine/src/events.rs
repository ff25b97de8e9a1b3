//! Subscribing to events.

mod hub;

use std::fmt;
use std::sync::Arc;

use crate::event::Event;
use crate::larder::Larder;

use hub::Listener;
pub(crate) use hub::{Hub, Teller};

impl Larder {
    /// Subscribes to what happens in all caches of this larder, those included that are built
    /// later. At most `room` events (at least 1) wait to be taken; what comes while all of it is
    /// used is dropped and [counted](Events::dropped).
    ///
    /// A listener cannot hurt a cache: it runs where its events are taken, so that its panics and
    /// its pauses are its own. While anybody listens each event costs a lock and a copy; while
    /// nobody does it costs a look at a flag, and a hit not even that.
    ///
    /// ```
    /// # use larder_engine::{Cache, Larder, What};
    /// # smol::block_on(async {
    /// let larder = Larder::builder().build()?;
    /// let deals: Cache<u64, u64> = larder.cache("deals").build()?;
    /// let events = larder.events(100);
    /// deals.put(&5, 1).await;
    /// let event = events.next().await;
    /// assert_eq!((&*event.cache, event.what), ("deals", What::Put));
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn events(&self, room: usize) -> Events {
        let listener = Arc::new(Listener::new(room.max(1)));
        self.hub().add(&listener);
        self.watch();
        Events {
            listener,
            larder: self.clone(),
        }
    }
}

/// The events of a larder's caches, since [`Larder::events`]; the subscription ends when this is
/// dropped.
#[must_use]
pub struct Events {
    listener: Arc<Listener>,
    larder: Larder,
}

impl Events {
    /// The next event, in the order in which a thread made them; between threads there is none.
    ///
    /// It waits for as long as nothing happens. Dropping it loses no event.
    pub async fn next(&self) -> Event {
        loop {
            let told = self.listener.told.listen();
            if let Some(event) = self.try_next() {
                return event;
            }
            told.await;
        }
    }

    /// The next event, if one is there.
    #[must_use]
    pub fn try_next(&self) -> Option<Event> {
        self.listener.take()
    }

    /// How many events were dropped, because this was not taken from fast enough.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.listener.dropped.value()
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.larder.hub().remove(&self.listener);
        self.larder.watch();
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Events");
        out.field("dropped", &self.dropped())
            .finish_non_exhaustive()
    }
}
