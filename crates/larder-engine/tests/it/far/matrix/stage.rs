//! The nodes of a case.

use larder_engine::CacheBuilder;
use larder_kit::{Gate, Spawned, Virtual};

use super::{Change, Changer, Moment, Tiers};
use crate::far::rig::{Rig, fetch, held};
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
    pub(super) fn of(tiers: Tiers) -> Self {
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
        }
    }

    /// Takes calls to the moment.
    pub(super) fn early(&self, moment: Moment) -> Early {
        let cache = self.reader.numbers().clone();
        if let (Moment::Promoting | Moment::Getting, Some(other)) = (moment, &self.other) {
            other.fetch(&self.time, &self.source);
        }
        if moment == Moment::Loaded {
            self.source.gate.close();
        }
        let gate = self.hold(moment);
        let loading = || {
            let load = fetch(&cache, &self.source);
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
            Moment::Putting | Moment::Put => {
                let cache = cache.clone();
                vec![self.time.spawn(async move {
                    let _ = cache.put(&1, 1).await;
                })]
            }
            _ => vec![loading(), loading()],
        };
        self.time.run_until_idle();
        let waits = if moment == Moment::Loaded || moment.far().is_some() {
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
            let (load, cache) = (fetch(&cache, &self.source), cache);
            calls.push(self.time.spawn(async move { Some(load.await) }));
            calls.push(self.time.spawn(async move { held(cache.get(&1).await) }));
        }
        self.time.run_until_idle();
        calls
    }
}
