//! A hundred callers, each with two questions, all at once.

use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use larder::{Cache, Codec, Larder};

use super::figure::{Figure, Times, millis};
use super::form::{Arrived, Noting, id};
use crate::seeds::blocking::{self, Blocking, Caller, Way};
use crate::seeds::{clock, ours};

const CALLERS: u64 = 100;
const EACH: u64 = 2;

/// So many turns are measured; one more comes first.
const TURNS: usize = 3;

/// How long users live in the server.
const LIFE: Duration = Duration::from_secs(300);

/// What callers were given.
#[derive(Default)]
struct Noted {
    latencies: Vec<Duration>,
    samples: Vec<Duration>,
}

/// Users in one form, and the server's port.
pub(super) struct Users<V, C> {
    pub(super) port: u16,
    pub(super) codec: C,
    pub(super) make: fn(u64) -> V,
}

impl<V, C> Users<V, C>
where
    V: Send + Sync + 'static,
    C: Codec<V> + Clone + 'static,
{
    /// Callers with a thread each.
    ///
    /// # Errors
    /// The server takes no connection, or loses a user.
    pub(super) fn blocking(&self, way: Way) -> anyhow::Result<Figure> {
        self.store()?;
        let blocking = Blocking::open(way, self.port)?;
        let mut noted = self.by_threads(&blocking)?;
        noted.clear();
        for _ in 0..TURNS {
            noted.extend(self.by_threads(&blocking)?);
        }
        let made = blocking.made();
        let turns = if way == Way::Each { TURNS + 1 } else { 1 };
        self.figure(noted, made.len() / turns, made)
    }

    /// Callers that are tasks of this thread, over larder: a cache that lies in the server alone.
    ///
    /// # Errors
    /// As [`blocking`](Self::blocking).
    pub(super) fn ours(&self) -> anyhow::Result<Figure> {
        ours::block_on(async {
            let began = clock::now();
            let connection = ours::connect(self.port).await?;
            let made = vec![clock::now() - began];
            let larder = Larder::builder().runtime(ours::runtime());
            let larder = larder.far(ours::store(connection)).build()?;
            let users = larder.cache("users").ttl(LIFE).schema(1);
            let users = users.codec(Noting(self.codec.clone())).without_near();
            let users: Cache<String, Arrived<V>> = users.build().context("a cache of users")?;
            self.fill(&users).await?;
            let mut noted = by_tasks(&users).await?;
            noted.clear();
            for _ in 0..TURNS {
                noted.extend(by_tasks(&users).await?);
            }
            self.figure(noted, 1, made)
        })
    }

    fn figure(
        &self,
        noted: Vec<Noted>,
        connections: usize,
        made: Vec<Duration>,
    ) -> anyhow::Result<Figure> {
        let mut all = Noted::default();
        for one in noted {
            all.latencies.extend(one.latencies);
            all.samples.extend(one.samples);
        }
        Ok(Figure {
            sample: Times::of(all.samples),
            latency: Times::of(all.latencies),
            connect: Times::of(made),
            connections,
            trip: trip(self.port)?,
        })
    }

    fn by_threads(&self, blocking: &Blocking) -> anyhow::Result<Vec<Noted>> {
        let ready = Barrier::new(CALLERS as usize);
        thread::scope(|scope| {
            let work = |caller| {
                let ready = &ready;
                move || {
                    let connected = blocking.caller();
                    ready.wait();
                    self.ask(&mut connected?, caller)
                }
            };
            let all: Vec<_> = (0..CALLERS)
                .map(|caller| scope.spawn(work(caller)))
                .collect();
            let ends = all.into_iter().map(|caller| {
                let end = caller.join();
                end.unwrap_or_else(|_| Err(anyhow!("a caller panicked")))
            });
            ends.collect()
        })
    }

    fn ask(&self, caller: &mut Caller<'_>, number: u64) -> anyhow::Result<Noted> {
        let mut noted = Noted::default();
        for no in questions(number) {
            let began = clock::now();
            let mut get = redis::cmd("GET");
            get.arg(name(no));
            let bytes: Vec<u8> = caller.ask(|server| get.query(server))?;
            noted.latencies.push(clock::now() - began);
            std::hint::black_box(self.codec.decode(&bytes)?);
            noted.samples.push(clock::now() - began);
        }
        Ok(noted)
    }

    /// Puts all users there, for callers that block.
    fn store(&self) -> anyhow::Result<()> {
        let mut pipeline = redis::pipe();
        for no in 0..CALLERS * EACH {
            let mut bytes = Vec::new();
            self.codec.encode(&(self.make)(no), &mut bytes)?;
            pipeline.set_ex(name(no), bytes, LIFE.as_secs());
        }
        let mut connection = blocking::client(self.port)?.get_connection()?;
        Ok(pipeline.exec(&mut connection)?)
    }

    async fn fill(&self, users: &Cache<String, Arrived<V>>) -> anyhow::Result<()> {
        let (make, at) = (self.make, clock::now());
        for no in 0..CALLERS * EACH {
            let value = move || async move {
                Arc::new(Arrived {
                    value: make(no),
                    at,
                })
            };
            users.get_or_load(&id(no)[..], value).await?;
        }
        Ok(())
    }
}

async fn by_tasks<V: Send + Sync + 'static>(
    users: &Cache<String, Arrived<V>>,
) -> anyhow::Result<Vec<Noted>> {
    let work = |caller| {
        let users = users.clone();
        ours::spawn(async move {
            let mut noted = Noted::default();
            for no in questions(caller) {
                let id = id(no);
                let began = clock::now();
                let got = users.get(&id[..]).await;
                let ended = clock::now();
                let user = got.value().context("a user is gone")?;
                noted.latencies.push(user.at - began);
                noted.samples.push(ended - began);
            }
            anyhow::Ok(noted)
        })
    };
    let all: Vec<_> = (0..CALLERS).map(work).collect();
    let mut noted = Vec::new();
    for caller in all {
        noted.push(caller.await?);
    }
    Ok(noted)
}

/// No two callers ask for the same.
fn questions(caller: u64) -> impl Iterator<Item = u64> {
    (0..EACH).map(move |question| caller * EACH + question)
}

fn name(no: u64) -> String {
    format!("bench:users:{}", id(no))
}

/// The middle of some trips to the server and back, in milliseconds.
fn trip(port: u16) -> anyhow::Result<f64> {
    let mut connection = blocking::client(port)?.get_connection()?;
    let mut trips = Vec::new();
    for _ in 0..21 {
        let began = clock::now();
        redis::cmd("PING").exec(&mut connection)?;
        trips.push(clock::now() - began);
    }
    trips.sort_unstable();
    Ok(millis(trips[trips.len() / 2]))
}
