//! One load for all nodes: who loads, who waits, and for how long.

mod batches;
mod builds;
mod ends;
mod shares;

use std::time::Duration;

use larder_core::LoadError;
use larder_core::far::{Guarded, Space, Want};
use larder_engine::{CacheBuilder, Fetched, Outcome};
use larder_kit::{Spawned, Virtual};
use larder_memory::Shelf;

use super::rig::Rig;
use super::support::{beat, shelf};
use crate::support::Source;

const LEASE: Duration = Duration::from_secs(2);

/// Nodes with leases over one far store.
struct Nodes {
    time: Virtual,
    shelf: Shelf,
    all: Vec<Rig>,
    source: Source,
}

type Call = Spawned<Result<Fetched<u64>, LoadError>>;

fn leased(cache: CacheBuilder<u64, u64>) -> CacheBuilder<u64, u64> {
    cache.far().lease(LEASE)
}

impl Nodes {
    fn new(count: usize) -> Self {
        Self::of(count, leased)
    }

    fn of(count: usize, build: fn(CacheBuilder<u64, u64>) -> CacheBuilder<u64, u64>) -> Self {
        let time = Virtual::new();
        let shelf = shelf(&time);
        let node = |_| Rig::with(&time, &shelf, |larder| larder, build);
        let all = (0..count).map(node).collect();
        beat(&time);
        Self {
            time,
            shelf,
            all,
            source: Source::held(),
        }
    }

    /// A call of key 1 at a node, as a task that has come to where it waits.
    fn call(&self, node: usize) -> Call {
        let call = self.source.fetch(&self.all[node].numbers, 1);
        self.begin(call)
    }

    fn begin<T: Send + 'static>(
        &self,
        call: impl Future<Output = T> + Send + 'static,
    ) -> Spawned<T> {
        let call = self.time.spawn(call);
        self.time.run_until_idle();
        call
    }

    /// Of a node: how many loads waited, and how many in vain.
    fn waited(&self, node: usize) -> (u64, u64) {
        let far = self.all[node].numbers.stats().far_tier.unwrap();
        (far.waited, far.lapsed)
    }

    /// A process takes the lease of key 1, and is gone.
    fn dies_with_the_lease(&self) {
        let space = Space::new("numbers".into(), 99, 99);
        let read = self.shelf.read(&space, &[b"1"], &[], Want::Load);
        let read = self.time.block_on(read).unwrap();
        assert!(!read[0].held, "it has made the token");
    }

    /// Whether the far store holds a token of key 1 without a value.
    fn is_leased(&self) -> bool {
        let space = Space::new("numbers".into(), 99, 99);
        let read = self.shelf.read(&space, &[b"1"], &[], Want::Look);
        self.time.block_on(read).unwrap()[0].held
    }

    /// What a call gave that has ended.
    fn ended(&self, call: Call) -> (u64, &'static str) {
        assert!(call.is_finished(), "the call waits");
        let fetched = self.time.block_on(call).unwrap();
        (fetched.value, outcome(fetched.outcome))
    }
}

fn outcome(outcome: Outcome) -> &'static str {
    outcome.detail()
}
