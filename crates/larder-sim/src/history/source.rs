//! The source: registers with versions, and every value that was ever read or written.

use std::time::Duration;

use super::{History, Life, Seq, Stamp};
use crate::plan::{Says, Setup, Tag, Tagging};
use crate::value::Id;

/// Every so many versions a key is absent.
const ABSENT: u64 = 6;

/// The registers, and the values that were made of them.
#[derive(Default)]
pub(super) struct Source {
    /// By key: since when each version is there.
    registers: Vec<Vec<Seq>>,
    values: Vec<Value>,
}

/// A value, with where it comes from.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub(super) key: u64,
    pub(super) version: u64,
    pub(super) by: Life,
    /// When the source was read, or written.
    pub(super) read: Stamp,
    pub(super) tags: Vec<Tag>,
    /// How long it is kept, if it says so itself.
    ttl: Option<Duration>,
    /// It is not to be kept at all.
    pub(super) unstored: bool,
    /// It was found unchanged by a later load, and kept anew.
    renewed: bool,
    /// When the function that gave it ended.
    pub(super) ended: Option<Stamp>,
    /// When the far store kept it.
    pub(super) stored: Option<Stamp>,
    /// Whether the far store may keep it yet, at a time that nobody knows.
    pub(super) adrift: bool,
}

/// How a value is to be kept.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Keeping {
    pub(crate) tagging: Tagging,
    pub(crate) ttl: Option<Duration>,
    pub(crate) unstored: bool,
}

impl Keeping {
    /// As its function says, in a call that keeps what it brings if `kept`.
    pub(crate) fn said(says: Says, tagging: Tagging, kept: bool) -> Self {
        Self {
            tagging,
            ttl: says.ttl,
            unstored: says.unstored || !kept,
        }
    }
}

impl Value {
    /// How long it is fresh.
    pub(super) fn ttl(&self, setup: &Setup) -> Duration {
        self.ttl.unwrap_or(setup.ttl)
    }

    /// How long it may be served.
    pub(super) fn life(&self, setup: &Setup) -> Duration {
        setup.life(self.ttl(setup))
    }

    /// From when its time counts, as far as that is known.
    pub(super) fn since(&self) -> Option<Stamp> {
        let ended = self.ended.filter(|_| !self.adrift);
        self.stored.or(ended)
    }
}

impl Source {
    pub(super) fn new(keys: u64) -> Self {
        Self {
            registers: (0..keys).map(|_| vec![0]).collect(),
            values: Vec::new(),
        }
    }

    pub(super) fn value(&self, id: Id) -> Option<&Value> {
        self.values.get(id)
    }

    fn version(&self, key: u64) -> u64 {
        self.registers[key as usize].len() as u64
    }

    /// Whether the key was absent at some time since `from`.
    pub(super) fn was_absent_since(&self, key: u64, from: Seq) -> bool {
        let register = &self.registers[key as usize];
        let versions = 1..=register.len();
        let mut absent = versions.filter(|&version| (version as u64).is_multiple_of(ABSENT));
        absent.any(|version| register.get(version).is_none_or(|&end| end >= from))
    }

    fn make(&mut self, key: u64, by: Life, keeping: Keeping, read: Stamp) -> Option<Id> {
        let version = self.version(key);
        if version.is_multiple_of(ABSENT) {
            return None;
        }
        self.values.push(Value {
            key,
            version,
            by,
            read,
            tags: keeping.tagging.tags(key, version),
            ttl: keeping.ttl,
            unstored: keeping.unstored,
            renewed: false,
            ended: None,
            stored: None,
            adrift: false,
        });
        Some(self.values.len() - 1)
    }
}

impl History {
    /// Reads the source: the value's number, or absence.
    pub(crate) fn read(&self, key: u64, by: Life, keeping: Keeping) -> Option<Id> {
        let id = self.with(|state, stamp| state.source.make(key, by, keeping, stamp));
        self.tell(|| format!("  node {by} reads {}", self.named(key, id)));
        id
    }

    /// Changes the source: the new value's number, or absence; and when.
    pub(crate) fn write(&self, key: u64, by: Life, keeping: Keeping) -> (Option<Id>, Stamp) {
        let written = self.with(|state, stamp| {
            state.source.registers[key as usize].push(stamp.seq);
            (state.source.make(key, by, keeping, stamp), stamp)
        });
        self.tell(|| format!("  node {by} writes {}", self.named(key, written.0)));
        written
    }

    /// The function that gave a value has ended.
    pub(crate) fn ended(&self, id: Option<Id>) {
        self.with(|state, stamp| {
            if let Some(value) = id.and_then(|id| state.source.values.get_mut(id)) {
                value.ended = Some(stamp);
            }
        });
    }

    /// Reads the version of a key at the source, and when.
    pub(crate) fn version(&self, key: u64) -> (u64, Stamp) {
        self.with(|state, stamp| (state.source.version(key), stamp))
    }

    /// A load has found a value unchanged when it read the source at `read`, and has ended: from now
    /// on it is one that was loaded then.
    pub(crate) fn renewed(&self, id: Id, read: Stamp, says: Says) {
        let setup = &self.0.setup;
        self.with(|state, stamp| {
            if let Some(value) = state.source.values.get_mut(id) {
                value.renewed = true;
                if value.read.seq < read.seq {
                    value.read = read;
                }
                value.ended = Some(stamp);
                value.stored = None;
                // What was kept before may be served for as long as it was.
                let anew = says.ttl.unwrap_or(setup.ttl);
                value.ttl = Some(value.ttl(setup).max(anew));
            }
        });
        self.tell(|| format!("  value {id} holds still"));
    }

    /// The far store has kept values.
    pub(crate) fn stored(&self, ids: &[Id]) {
        self.with(|state, stamp| {
            for &id in ids {
                if let Some(value) = state.source.values.get_mut(id) {
                    // A later one is of what was kept anew, or of nothing new.
                    if value.renewed || value.stored.is_none() {
                        value.stored = Some(stamp);
                    }
                }
            }
        });
    }

    /// The far store was to keep values and gave no answer.
    pub(crate) fn adrift(&self, ids: &[Id]) {
        let mut state = self.lock();
        for &id in ids {
            if let Some(value) = state.source.values.get_mut(id) {
                value.adrift = true;
            }
        }
    }

    /// The tag that only the value tells.
    pub(crate) fn tag_of_version(&self, id: Id) -> Option<Tag> {
        let state = self.lock();
        let value = state.source.value(id)?;
        Some(Tag::of_version(value.version))
    }

    /// When the source was read for a value.
    pub(crate) fn read_of(&self, id: Id) -> Option<Stamp> {
        self.lock().source.value(id).map(|value| value.read)
    }

    /// A value in words.
    pub(crate) fn named(&self, key: u64, id: Option<Id>) -> String {
        let state = self.lock();
        match id.and_then(|id| Some((id, state.source.value(id)?))) {
            Some((id, value)) => format!("key {key} version {} (value {id})", value.version),
            None => format!("key {key} absent"),
        }
    }
}
