//! The nodes of a case.

use std::future::Future;
use std::pin::Pin;

use larder_engine::CacheBuilder;
use larder_kit::{Gate, Spawned, Virtual};

use super::{Change, Changer, Moment, Tags, Tiers};
use crate::far::rig::{Rig, TAG, held, tagged, told, updated};
use crate::far::support::{beat, shelf};
use crate::support::{Numbers, Source, numbers};

/// The calls that came before the change, and what they wait for.
pub(super) struct Early {
    calls: Vec<Spawned<()>>,
    gate: Gate,
}

/// A node that reads, and one that may make the change.
pub(super) struct Stage {
    pub(super) time: Virtual,
    reader: Reader,
    other: Option<Rig>,
    source: Source,
    tags: Tags,
}

enum Reader {
    Alone(Numbers),
    Far(Rig),
}

impl Reader {
    fn numbers(&self) -> &Numbers {
        match self {
            Self::Alone(numbers) => numbers,
            Self::Far(rig) => &rig.numbers,
        }
    }
}

impl Stage {
    pub(super) fn of(tiers: Tiers, tags: Tags) -> Self {
        let time = Virtual::new();
        let shelf = shelf(&time);
        let far = |build: fn(_) -> _| Rig::with(&time, &shelf, |larder| larder, build);
        let (reader, other) = match tiers {
            Tiers::Near => (Reader::Alone(numbers(&time).build().unwrap()), None),
            Tiers::Far => {
                let build = CacheBuilder::far_only;
                (Reader::Far(far(build)), Some(far(build)))
            }
            Tiers::Both => {
                let build = CacheBuilder::far;
                (Reader::Far(far(build)), Some(far(build)))
            }
        };
        beat(&time);
        let source = Source::ready();
        Self {
            time,
            reader,
            other,
            source,
            tags,
        }
    }

    /// Takes calls to the moment.
    pub(super) fn early(&self, moment: Moment) -> Early {
        let cache = self.reader.numbers().clone();
        if let (Moment::Promoting | Moment::Getting, Some(other)) = (moment, &self.other) {
            self.time.block_on(self.load(&other.numbers));
        }
        let at_source = matches!(moment, Moment::Loaded | Moment::Updating);
        if at_source {
            self.source.gate.close();
        }
        let gate = self.hold(moment);
        let loading = || {
            let load = self.load(&cache);
            self.time.spawn(async move {
                let _ = load.await;
            })
        };
        let calls = match moment {
            Moment::Cold => Vec::new(),
            Moment::Getting => {
                let cache = cache.clone();
                vec![self.time.spawn(async move {
                    let _ = cache.get(&1).await;
                })]
            }
            Moment::Updating | Moment::Putting | Moment::Put => {
                let update = updated(&cache, &self.source);
                vec![self.time.spawn(async move {
                    let _ = update.await;
                })]
            }
            _ => vec![loading(), loading()],
        };
        self.time.run_until_idle();
        let waits = if at_source || moment.far().is_some() {
            1
        } else {
            0
        };
        assert_eq!(gate.waiting(), waits, "{moment:?} is reached");
        if let Reader::Far(rig) = &self.reader {
            rig.slow.hurry();
        }
        Early { calls, gate }
    }

    fn load(&self, cache: &Numbers) -> Pin<Box<dyn Future<Output = u64> + Send>> {
        match self.tags {
            Tags::BeforeTheLoad => {
                let load = tagged(cache, &self.source, &[TAG]);
                Box::pin(async move { load.await.unwrap() })
            }
            Tags::FromTheValue => {
                let load = told(cache, &self.source, &[TAG]);
                Box::pin(async move { load.await.unwrap() })
            }
        }
    }

    fn hold(&self, moment: Moment) -> Gate {
        match (&self.reader, moment.far()) {
            (Reader::Far(rig), Some((operation, true))) => rig.slow.hold_after(operation),
            (Reader::Far(rig), Some((operation, false))) => rig.slow.hold_before(operation),
            _ => self.source.gate.clone(),
        }
    }

    pub(super) fn change(&self, change: Change, changer: Changer) -> u64 {
        let cache = match (changer, &self.other) {
            (Changer::Other, Some(other)) => &other.numbers,
            _ => self.reader.numbers(),
        };
        self.time.block_on(change.announce(cache, &self.source))
    }

    pub(super) fn finish(&self, early: Early) {
        early.gate.open();
        self.source.gate.open();
        self.time.run_until_idle();
        for call in early.calls {
            assert!(call.is_finished());
        }
    }

    /// What calls see that start now.
    pub(super) fn late(&self) -> Vec<Spawned<Option<u64>>> {
        let mut calls = Vec::new();
        for rig in [
            Some(self.reader.numbers()),
            self.other.as_ref().map(|rig| &rig.numbers),
        ] {
            let Some(cache) = rig.cloned() else {
                continue;
            };
            let (load, cache) = (self.load(&cache), cache);
            calls.push(self.time.spawn(async move { Some(load.await) }));
            calls.push(self.time.spawn(async move { held(cache.get(&1).await) }));
        }
        self.time.run_until_idle();
        calls
    }
}
