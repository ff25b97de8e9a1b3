//! A master of two wires: one for changes, one for waits.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use larder_core::far::{FarError, Guarded};
use larder_kit::{Spawned, Virtual};
use larder_redis::{Call, Redis, Reply, Request};

use crate::deals;
use crate::told::{Told, empty};

pub(super) const TIME: Duration = Duration::from_millis(50);

/// What a server holds, as far as a wait looks at it.
#[derive(Default)]
pub(super) struct Master {
    held: Mutex<HashMap<Bytes, Bytes>>,
    /// How many replicas have all.
    pub(super) replicas: AtomicI64,
    /// It takes no writes.
    pub(super) follows: AtomicBool,
}

impl Master {
    fn answer(&self, request: &Request) -> Reply {
        let Call::Command { name, args } = request.call() else {
            return empty(request);
        };
        let mut held = self.held.lock().unwrap();
        let follows = self.follows.load(Ordering::Relaxed);
        match *name {
            "WAIT" => Reply::Int(self.replicas.load(Ordering::Relaxed)),
            "GET" => held.get(&args[0]).cloned().map_or(Reply::Nil, Reply::Bytes),
            "SET" | "UNLINK" if follows => Reply::error("READONLY", "a replica"),
            "SET" => {
                held.insert(args[0].clone(), args[1].clone());
                Reply::ok()
            }
            "UNLINK" => Reply::Int(held.remove(&args[0]).map_or(0, |_| 1)),
            _ => empty(request),
        }
    }

    /// A wire to it.
    pub(super) fn wire(self: &Arc<Self>) -> Arc<Told> {
        let master = Arc::clone(self);
        Told::new(move |request| master.answer(request))
    }

    /// Holds what the other holds, as its replica does.
    pub(super) fn copies(&self, other: &Self) {
        *self.held.lock().unwrap() = other.held.lock().unwrap().clone();
    }
}

/// A store that waits for two replicas.
pub(super) struct Shop {
    pub(super) time: Virtual,
    pub(super) changes: Arc<Told>,
    pub(super) waits: Arc<Told>,
    pub(super) redis: Redis,
}

impl Shop {
    /// Over a master of which so many replicas have all.
    pub(super) fn new(replicas: i64) -> Self {
        let master = Arc::new(Master::default());
        master.replicas.store(replicas, Ordering::Relaxed);
        Self::over(master.wire(), master.wire())
    }

    pub(super) fn over(changes: Arc<Told>, waits: Arc<Told>) -> Self {
        let time = Virtual::new();
        let redis = Redis::over(changes.clone(), time.runtime(), "larder");
        let redis = redis.wait_for_replicas(waits.clone(), 2, TIME).unwrap();
        Self {
            time,
            changes,
            waits,
            redis,
        }
    }

    /// Changes something, and waits for it.
    pub(super) fn change(&self) {
        let deals = deals();
        let change = self.redis.invalidate(&deals, &[b"5"]);
        self.time.block_on(change).unwrap();
    }

    /// Begins a change, and runs it as far as it goes.
    pub(super) fn begin(&self) -> Spawned<Result<(), FarError>> {
        let redis = self.redis.clone();
        let change = async move { redis.invalidate(&deals(), &[b"5"]).await };
        let change = self.time.spawn(change);
        self.time.run_until_idle();
        change
    }

    pub(super) fn unreplicated(&self) -> u64 {
        self.redis.counts().unreplicated
    }
}
