//! Where a cell is played.

use std::cell::RefCell;
use std::thread::yield_now;
use std::time::Duration;

use futures_lite::future::poll_once;
use larder_engine::{CacheBuilder, Larder, Stats};
use larder_kit::{Gate, Virtual};

use super::body::{Body, End};
use super::form::{self, Answer, Call, Form, Life, Lists, Thread};
use super::same;
use crate::far::support::{beat, larder, shelf};
use crate::support;

/// What a load gives that ends well.
pub(super) const VALUE: u64 = 1;
/// What was there before it, where something was.
pub(super) const OLD: u64 = 7;

const DEADLINE: Duration = Duration::from_secs(3);
const TTL: Duration = Duration::from_secs(60);

/// Where values are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tiers {
    Near,
    Far,
    Both,
}

pub(super) struct Stage {
    pub(super) time: Virtual,
    pub(super) body: Body,
    cache: Lists,
    form: Form,
    before: Stats,
    /// Tasks and sleepers of a cache at rest.
    still: (usize, usize),
    threads: RefCell<Vec<Thread>>,
    _larder: Larder,
}

impl Stage {
    pub(super) fn new(tiers: Tiers, form: Form, end: End) -> Self {
        let time = Virtual::new();
        let (larder, build): (_, fn(_) -> CacheBuilder<_, _>) = match tiers {
            Tiers::Near => (support::larder(&time), |cache| cache),
            Tiers::Far => (larder(&time, &shelf(&time)), CacheBuilder::far_only),
            Tiers::Both => (larder(&time, &shelf(&time)), CacheBuilder::far),
        };
        let cache = larder
            .cache("lists")
            .ttl(TTL)
            .deadline(DEADLINE)
            .max_loads(2);
        let cache = match form {
            Form::Refresh => cache.stale(TTL),
            _ => cache,
        };
        let cache: Lists = build(cache).build().unwrap();
        beat(&time);
        if form == Form::Refresh {
            time.block_on(cache.put(&1, vec![OLD]));
            time.advance(TTL);
        }
        let gate = match form {
            Form::Offloaded => time.hold_blocking(),
            _ => Gate::closed(),
        };
        time.run_until_idle();
        Self {
            body: Body::new(&time, gate, end),
            before: cache.stats(),
            still: (time.tasks(), time.sleepers()),
            threads: RefCell::default(),
            time,
            cache,
            form,
            _larder: larder,
        }
    }

    pub(super) fn call(&self, form: Form, life: Life) -> Call {
        form.call(&self.cache, &self.body, life)
    }

    /// Polls a call until its load runs; its answer, if it has one before.
    pub(super) fn begin(&self, call: &mut Call) -> Result<Option<Answer>, String> {
        if self.form == Form::Blocking {
            let thread = form::block(&self.cache, &self.body);
            self.threads.borrow_mut().push(thread);
            while self.body.running() == 0 {
                self.time.run_until_idle();
                yield_now();
            }
        }
        for _ in 0..100 {
            let answer = self.time.block_on(poll_once(&mut *call));
            self.time.run_until_idle();
            if answer.is_some() || self.body.running() == 1 {
                return Ok(answer);
            }
        }
        Err("its load does not begin".to_owned())
    }

    /// Lets the load end as it does, or its deadline pass.
    pub(super) fn end(&self, end: End) {
        if end != End::Hang {
            self.body.gate.open();
            self.join(end);
        }
        self.time.run_until_idle();
        self.time.advance(DEADLINE);
    }

    fn join(&self, end: End) {
        for thread in self.threads.borrow_mut().drain(..) {
            while !thread.is_finished() {
                self.time.run_until_idle();
                yield_now();
            }
            assert_eq!(thread.join().unwrap(), end.answer());
        }
    }

    /// Whatever hung goes on, and nothing runs any more.
    pub(super) fn rest(&self, end: End) -> Result<(), String> {
        self.body.gate.open();
        self.join(end);
        self.time.run_until_idle();
        let stats = self.cache.stats();
        same("running", (stats.running, self.body.running()), (0, 0))?;
        let pending = stats.far_tier.map_or(0, |far| far.pending);
        same("queued", pending, 0)?;
        let still = (self.time.tasks(), self.time.sleepers());
        same("tasks and sleepers", still, self.still)
    }

    pub(super) fn held(&self) -> Option<Vec<u64>> {
        let held = self.time.block_on(self.cache.get(&1)).value();
        held.map(|value| value.to_vec())
    }

    /// The calls that were counted, but for the look at what is held.
    pub(super) fn counted(&self) -> u64 {
        let since = self.cache.stats().since(&self.before);
        since.calls().iter().map(|(_, count)| count).sum::<u64>() - 1
    }

    /// The key is as any other.
    pub(super) fn goes_on(&self) -> Result<(), String> {
        self.time.block_on(self.cache.invalidate(&1));
        let next = self.cache.get_or_load(&1, || async { vec![9] });
        let next = self.time.block_on(next).map_err(|error| error.kind());
        same("the next load", next, Ok(vec![9]))
    }
}
