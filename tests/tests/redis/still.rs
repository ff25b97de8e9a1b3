//! A wire under which real servers keep virtual time.

mod marks;
mod scripts;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use bytes::Bytes;
use larder_core::far::FarError;
use larder_core::{BoxFuture, Clock, Moment};
use larder_redis::{Connection, Ear, Reply, Request, Settings, Wire};
use smol::block_on;

use marks::{Forward, Marks};
use scripts::Around;

/// Real servers for suites that move a clock by hand: all that they keep ages by that clock, and by
/// that alone.
///
/// Between two batches no key has an end; in front of a batch those that it names get what they have
/// left by the clock. And a batch has been answered only when what it published was heard.
pub(crate) struct Still {
    connection: Connection,
    masters: usize,
    clock: Clock,
    began: Moment,
    /// One batch at a time.
    turn: Mutex<()>,
    /// Where marks are published, which nobody else has.
    channel: Bytes,
    marks: Arc<Marks>,
    ears: Mutex<Vec<Arc<Forward>>>,
}

/// How many there were, each with a channel of its own.
static COUNT: AtomicUsize = AtomicUsize::new(0);

impl Still {
    /// The servers of a URL, emptied, under this clock.
    pub(crate) fn new(url: &str, clock: Clock) -> Arc<Self> {
        let runtime = Arc::new(larder::Smol::global());
        // A busy machine stands still for longer than a server may.
        let settings = Settings::parse(url).unwrap();
        let settings = settings.patience(Duration::from_secs(60));
        let connection = block_on(Connection::connect(settings, runtime));
        let connection = connection.expect("a server that was just started");
        let masters = block_on(connection.masters()).unwrap();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let still = Arc::new(Self {
            connection,
            masters,
            began: clock.now(),
            clock,
            turn: Mutex::default(),
            channel: format!("marks:{count}").into(),
            marks: Arc::default(),
            ears: Mutex::default(),
        });
        let flush = |master| Request::on_master(master, "FLUSHALL", Vec::new());
        still.ask((0..masters).map(flush).collect()).unwrap();
        let marks: Weak<Marks> = Arc::downgrade(&still.marks);
        still.join(still.channel.clone(), marks);
        // What was published before may still be on its way from one node of a cluster to another.
        still.mark();
        still
    }

    fn ask(&self, batch: Vec<Request>) -> Result<Vec<Reply>, FarError> {
        block_on(self.connection.send(batch))
    }

    fn send_still(&self, batch: Vec<Request>) -> Result<Vec<Reply>, FarError> {
        let _turn = self.turn.lock().unwrap();
        let around = Around::new(&batch, self.clock.now().since(self.began));
        let thaw = (0..self.masters).map(|master| around.thaw(master));
        let freeze = (0..self.masters).map(|master| around.freeze(master));
        let mut replies = self.ask(thaw.chain(batch).chain(freeze).collect())?;
        let frozen = replies.split_off(replies.len() - self.masters);
        let thawed = replies.drain(..self.masters);
        let went_well = |reply| assert_eq!(reply, Reply::Int(1));
        thawed.chain(frozen).for_each(went_well);
        // Its own ear is one.
        if self.ears.lock().unwrap().len() > 1 {
            self.mark();
        }
        Ok(replies)
    }

    /// Waits until all that was published has been heard: of what each master publishes the last comes
    /// last.
    fn mark(&self) {
        let mark = |master| {
            let args = vec![self.channel.clone(), "mark".into()];
            Request::on_master(master, "PUBLISH", args)
        };
        self.ask((0..self.masters).map(mark).collect()).unwrap();
        self.marks.wait(self.masters);
    }

    fn join(&self, channel: Bytes, ear: Weak<dyn Ear>) {
        let forward = Arc::new(Forward {
            ear,
            ready: Marks::default(),
        });
        let weak: Weak<Forward> = Arc::downgrade(&forward);
        self.connection.subscribe(channel, weak);
        forward.ready.wait(1);
        self.ears.lock().unwrap().push(forward);
    }
}

impl Wire for Still {
    fn send(&self, batch: Vec<Request>) -> BoxFuture<'_, Result<Vec<Reply>, FarError>> {
        Box::pin(async move { self.send_still(batch) })
    }

    fn is_cluster(&self) -> bool {
        self.connection.is_cluster()
    }

    fn masters(&self) -> BoxFuture<'_, Result<usize, FarError>> {
        self.connection.masters()
    }

    fn subscribe(&self, channel: Bytes, ear: Weak<dyn Ear>) {
        self.join(channel, ear);
    }
}
