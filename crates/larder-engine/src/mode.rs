//! How far a cache is used.

use std::sync::atomic::{AtomicU8, Ordering};

/// How far a cache is used: whether a call looks at what is held, and whether what it brings is
/// kept.
///
/// It is set in four places: for one cache ([`Cache::switch`](crate::Cache::switch), or
/// [`CacheBuilder::mode`](crate::CacheBuilder::mode) from its start), for all caches of a larder
/// ([`Larder::switch`](crate::Larder::switch)), for all calls inside a future
/// ([`under`](crate::under), [`bypass`](crate::bypass)) and for one call. A call uses the cache as
/// far as all of them allow.
///
/// Changes know no mode: an invalidation takes effect and goes out to other nodes whatever is
/// switched off, so what is held is as true as ever when it is looked at again. A put that may not
/// keep its value invalidates the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
// Its bits, so that a hit takes it from a switch without a jump.
#[repr(u8)]
#[expect(
    clippy::exhaustive_enums,
    reason = "two things that a call does, each of which is on or off"
)]
pub enum Mode {
    /// Looks, loads and keeps.
    #[default]
    On = 0,
    /// Looks and loads; nothing is kept, in no tier. Misses are coalesced and bounded as ever.
    ReadOnly = NO_KEEP,
    /// Does not look: every call gets what was loaded after it began, and that is kept.
    ///
    /// Calls of one key still share loads: one that finds a load running waits for the next, so
    /// that of any number of calls two loads at most are waited for, one after the other.
    WriteOnly = NO_LOOK,
    /// Neither: the function runs in the caller's task, as if there were no cache.
    ///
    /// Not coalesced, not counted against a bound of loads, and it ends when its caller leaves. A
    /// call that gives a [`LoadError`](larder_core::LoadError) still gives that at its deadline and
    /// for a panic.
    Off = NO_LOOK | NO_KEEP,
}

const NO_LOOK: u8 = 1;
const NO_KEEP: u8 = 2;

impl Mode {
    /// Whether a call looks at what is held.
    #[must_use]
    pub const fn looks(self) -> bool {
        self.bits() & NO_LOOK == 0
    }

    /// Whether what a call brings is kept.
    #[must_use]
    pub const fn keeps(self) -> bool {
        self.bits() & NO_KEEP == 0
    }

    /// What both allow.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self::from_bits(self.bits() | other.bits())
    }

    /// The mode's name in logs and explanations.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::ReadOnly => "read-only",
            Self::WriteOnly => "write-only",
            Self::Off => "off",
        }
    }

    pub(crate) const fn bits(self) -> u8 {
        self as u8
    }

    /// Bits beyond the two are ignored.
    pub(crate) const fn from_bits(bits: u8) -> Self {
        match bits & (NO_LOOK | NO_KEEP) {
            0 => Self::On,
            NO_LOOK => Self::WriteOnly,
            NO_KEEP => Self::ReadOnly,
            _ => Self::Off,
        }
    }
}

/// The switches of one cache: its own, and its larder's beside it, and whether anybody listens to
/// its events; in one byte, for the hit to read.
#[derive(Debug)]
pub(crate) struct Switch(AtomicU8);

const WIDTH: u32 = 2;
const WATCHED: u8 = 1 << 7;

/// What a switch said at one moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Switched(u8);

impl Switched {
    #[inline]
    pub(crate) const fn mode(self) -> Mode {
        Mode::from_bits(self.0 | self.0 >> WIDTH)
    }

    #[inline]
    pub(crate) const fn is_watched(self) -> bool {
        self.0 & WATCHED != 0
    }
}

impl Switch {
    pub(crate) fn new(mode: Mode) -> Self {
        Self(AtomicU8::new(mode.bits()))
    }

    #[inline]
    pub(crate) fn read(&self) -> Switched {
        Switched(self.0.load(Ordering::Acquire))
    }

    #[inline]
    pub(crate) fn mode(&self) -> Mode {
        self.read().mode()
    }

    pub(crate) fn watch(&self, watched: bool) {
        if watched {
            self.0.fetch_or(WATCHED, Ordering::AcqRel);
        } else {
            self.0.fetch_and(!WATCHED, Ordering::AcqRel);
        }
    }

    pub(crate) fn set(&self, mode: Mode) {
        self.replace(0, mode);
    }

    /// The larder's.
    pub(crate) fn set_all(&self, mode: Mode) {
        self.replace(WIDTH, mode);
    }

    fn replace(&self, at: u32, mode: Mode) {
        let kept = !(Mode::Off.bits() << at);
        let next = |bits: u8| Some(bits & kept | mode.bits() << at);
        // The closure always gives a value.
        let _ = (self.0).fetch_update(Ordering::AcqRel, Ordering::Acquire, next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Mode; 4] = [Mode::On, Mode::ReadOnly, Mode::WriteOnly, Mode::Off];

    #[test]
    fn both_allow_what_each_allows() {
        for one in ALL {
            for two in ALL {
                let both = one.and(two);
                assert_eq!(both.looks(), one.looks() && two.looks(), "{one:?} {two:?}");
                assert_eq!(both.keeps(), one.keeps() && two.keeps(), "{one:?} {two:?}");
            }
        }
    }

    #[test]
    fn a_switch_of_the_cache_and_one_of_its_larder_do_not_undo_each_other() {
        for own in ALL {
            for all in ALL {
                let switch = Switch::new(Mode::Off);
                switch.set_all(all);
                switch.set(own);
                switch.watch(true);
                assert_eq!(switch.mode(), own.and(all));
                assert!(switch.read().is_watched());
                switch.set_all(Mode::On);
                assert_eq!(switch.mode(), own);
                switch.watch(false);
                assert_eq!(switch.mode(), own);
                assert!(!switch.read().is_watched());
            }
        }
    }
}
