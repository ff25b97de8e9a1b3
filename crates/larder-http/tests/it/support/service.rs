//! A running service.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use larder::{Keys, Larder, Smol};
use larder_domain::{DealSource, UserSource};
use larder_http::{App, Deals, Delays, Limits, Server, Users};
use smol::{Executor, channel};

use super::{Client, Shelf};

/// The service on a free port of loopback and threads of its own. Dropping it ends it.
pub(crate) struct Service {
    pub(crate) address: SocketAddr,
    deals: Deals,
    executor: &'static Executor<'static>,
    stop: channel::Sender<()>,
    threads: Vec<JoinHandle<io::Result<()>>>,
}

impl Service {
    pub(crate) fn over(source: &Arc<impl DealSource>) -> Self {
        Self::limited(source, Limits::default())
    }

    pub(crate) fn limited(source: &Arc<impl DealSource>, limits: Limits) -> Self {
        Self::start(source, limits, 2, |app, _| app)
    }

    /// As [`limited`](Self::limited), but on one thread, so that [`settle`](Self::settle) settles.
    pub(crate) fn on_one_thread(source: &Arc<impl DealSource>, limits: Limits) -> Self {
        Self::start(source, limits, 1, |app, _| app)
    }

    /// With delays, on so many threads.
    pub(crate) fn delaying(delays: &Delays, workers: usize) -> Self {
        let limits = Limits::default();
        Self::start(&Shelf::with_cart(), limits, workers, |app, _| {
            app.delays(delays)
        })
    }

    /// With all routes that there are.
    pub(crate) fn whole(people: &Arc<impl UserSource>, delays: &Delays) -> Self {
        let limits = Limits::default();
        Self::start(&Shelf::with_cart(), limits, 2, |app, larder| {
            let keys = Keys::new(1, [7; 32]);
            let users = Users::new(larder, Arc::clone(people) as _, keys).expect("users");
            app.users(&users).delays(delays)
        })
    }

    /// With users.
    pub(crate) fn knowing(people: &Arc<impl UserSource>) -> Self {
        let limits = Limits::default();
        Self::start(&Shelf::with_cart(), limits, 2, |app, larder| {
            let keys = Keys::new(1, [7; 32]);
            let users = Users::new(larder, Arc::clone(people) as _, keys).expect("users");
            app.users(&users).far_state(|| "made up")
        })
    }

    fn start(
        source: &Arc<impl DealSource>,
        limits: Limits,
        workers: usize,
        more: impl FnOnce(App, &Larder) -> App,
    ) -> Self {
        // `Smol` and `Server` want an executor that outlives everything.
        let executor: &'static Executor<'static> = Box::leak(Box::new(Executor::new()));
        let larder = Larder::builder()
            .runtime(Smol::on(executor))
            .build()
            .expect("larder");
        let deals = Deals::new(&larder, Arc::clone(source) as _).expect("deals");
        let server = Server::new(more(App::new(&deals), &larder), executor).limits(limits);
        let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
        let address = listener.local_addr().expect("address");
        let (stop, stopped) = channel::bounded::<()>(1);
        let (running, ended) = channel::bounded::<()>(1);
        let mut threads = vec![thread::spawn(move || {
            let _running = running;
            let shutdown = async move {
                let _ = stopped.recv().await;
            };
            smol::block_on(executor.run(server.serve(listener, shutdown)))
        })];
        for _ in 1..workers {
            let ended = ended.clone();
            threads.push(thread::spawn(move || {
                let _ = smol::block_on(executor.run(ended.recv()));
                Ok(())
            }));
        }
        Self {
            address,
            deals,
            executor,
            stop,
            threads,
        }
    }

    /// From now on looks often for changes by others.
    pub(crate) fn follow(&self) {
        let deals = self.deals.clone();
        let following = async move { deals.follow(Duration::from_millis(10)).await };
        self.executor.spawn(following).detach();
    }

    pub(crate) fn client(&self) -> Client {
        Client::to(self.address)
    }

    /// Waits until what was sent before has been read, if there is one thread.
    pub(crate) fn settle(&self) {
        let mut client = self.client();
        for _ in 0..3 {
            // From the second request on its arrival comes from the reactor, and earlier arrivals come before it.
            assert_eq!(client.get("/livez").status, 200);
        }
    }

    /// What one connection answers to `bytes` before it closes, as statuses. Checks that the next one is served.
    pub(crate) fn statuses(&self, bytes: impl AsRef<[u8]>) -> Vec<u16> {
        let mut client = self.client().with(bytes);
        client.end();
        let rest = client.rest();
        assert_eq!(self.client().get("/deals/5").status, 200);
        let lines = rest.split("HTTP/1.").skip(1);
        lines
            .map(|line| line[2..5].parse().expect("a status"))
            .collect()
    }

    /// Asks it to end.
    pub(crate) fn stop(&self) {
        self.stop.close();
    }

    /// Waits until it has ended.
    pub(crate) fn join(mut self) {
        for thread in self.threads.drain(..) {
            thread.join().expect("no panic").expect("no error");
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.stop();
    }
}
