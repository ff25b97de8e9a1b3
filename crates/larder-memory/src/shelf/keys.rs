//! Names with what is kept under them, for a time and within bounds.

use std::time::Duration;

use bytes::Bytes;
use foldhash::quality::RandomState;
use indexmap::IndexMap;
use larder_core::{Clock, Moment};

use super::container::Container;
use super::limits::Limits;
use super::name::Name;
use super::token::Token;

/// Names with what is kept under them. Nothing is kept without an end; what the limits demand is
/// evicted, whatever it is.
///
/// A hand goes round over the keys, a few at each change, and drops what has expired; where a limit
/// is passed, it drops what was not used since it last came by (a CLOCK).
pub(super) struct Keys {
    map: IndexMap<Name, Kept, RandomState>,
    limits: Limits,
    bytes: usize,
    hand: usize,
    owed: usize,
    clock: Clock,
    now: Moment,
    gone: Vec<Content>,
}

struct Kept {
    content: Content,
    ends: Moment,
    used: bool,
}

/// What can be kept under a name.
#[derive(Debug, Clone)]
pub(super) enum Content {
    Plain(Bytes),
    Entry(Container),
    Barrier(Token),
    Number(u64),
}

impl Keys {
    pub(super) fn new(limits: Limits, clock: Clock) -> Self {
        Self {
            map: IndexMap::default(),
            limits,
            bytes: 0,
            hand: 0,
            owed: 0,
            now: clock.now(),
            clock,
            gone: Vec::new(),
        }
    }

    /// Reads the clock: one moment for all of an operation.
    pub(super) fn begin(&mut self) {
        self.now = self.clock.now();
    }

    /// The end of what is kept from now on for `life`: never later than it should be, because the
    /// clock may lie behind and never ahead.
    pub(super) fn ends(&self, life: Duration) -> Moment {
        self.now.after(life)
    }

    /// The latest that it can be: what ends by then has ended.
    pub(super) fn latest(&self) -> Moment {
        self.now.after(self.clock.step())
    }

    /// What is kept under a name, and until when. Counts as a use of it.
    pub(super) fn find(&mut self, name: &Name) -> Option<(&Content, Moment)> {
        let latest = self.latest();
        let kept = self.map.get_mut(name)?;
        kept.used = true;
        (kept.ends > latest).then_some((&kept.content, kept.ends))
    }

    /// Keeps `content` in the place of what was there. Counts as a use: else the token that a load
    /// has just made would be the first to go.
    pub(super) fn keep(&mut self, name: Name, content: Content, ends: Moment) {
        self.owed += STEPS;
        let old = self.map.get(&name);
        let old_size = old.map_or(0, |old| size(&name, &old.content));
        self.bytes += size(&name, &content);
        self.bytes -= old_size;
        let used = true;
        let kept = Kept {
            content,
            ends,
            used,
        };
        if let Some(old) = self.map.insert(name, kept) {
            self.gone.push(old.content);
        }
    }

    /// Moves the end of what is there, but never nearer.
    pub(super) fn renew(&mut self, name: &Name, ends: Moment) {
        let latest = self.latest();
        if let Some(kept) = self.map.get_mut(name) {
            if kept.ends > latest {
                kept.ends = kept.ends.max(ends);
            }
        }
    }

    /// Removes what is there, and says whether it had not expired.
    pub(super) fn remove(&mut self, name: &Name) -> bool {
        let at = self.map.get_index_of(name);
        at.is_some_and(|at| self.remove_at(at))
    }

    /// Sweeps what the changes owe, then evicts until the limits hold.
    pub(super) fn tidy(&mut self) {
        let steps = self.owed.min(self.map.len());
        self.owed = 0;
        for _ in 0..steps {
            self.step(false);
        }
        while self.map.len() > self.limits.keys || self.bytes > self.limits.bytes {
            self.step(true);
        }
    }

    /// Removes up to `batch` of the keys before `end` that begin with `prefix`, from the back: what
    /// others remove meanwhile moves only keys that were looked at. Says how many it removed and
    /// where to go on.
    pub(super) fn purge(&mut self, prefix: &[u8], end: usize, batch: usize) -> (u64, usize) {
        let end = end.min(self.map.len());
        let start = end.saturating_sub(batch);
        let mut removed = 0;
        for at in (start..end).rev() {
            let found = self.map.get_index(at);
            if found.is_some_and(|(name, _)| name.is_of(prefix)) {
                removed += u64::from(self.remove_at(at));
            }
        }
        (removed, start)
    }

    pub(super) fn len(&self) -> usize {
        self.map.len()
    }

    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// What was removed, to be dropped where nothing is locked: the last owner of a frame may be
    /// code of the user's.
    pub(super) fn take_gone(&mut self) -> Vec<Content> {
        std::mem::take(&mut self.gone)
    }

    /// One step of the hand: drops the key there if it has expired or, when `evict`ing, was not
    /// used. The newest key takes the place of a dropped one, behind the hand.
    fn step(&mut self, evict: bool) {
        let latest = self.latest();
        self.hand = if self.hand < self.map.len() {
            self.hand
        } else {
            0
        };
        let Some((_, kept)) = self.map.get_index_mut(self.hand) else {
            return;
        };
        let unused = !kept.used;
        kept.used &= !evict;
        if kept.ends <= latest || evict && unused {
            self.remove_at(self.hand);
        }
        self.hand += 1;
    }

    fn remove_at(&mut self, at: usize) -> bool {
        let latest = self.latest();
        let Some((name, kept)) = self.map.swap_remove_index(at) else {
            return false;
        };
        self.bytes -= size(&name, &kept.content);
        self.gone.push(kept.content);
        kept.ends > latest
    }
}

/// Keys that the hand looks at for each change: with 4, what has expired takes about an eighth of
/// the memory under a steady load.
const STEPS: usize = 4;

/// What a key takes beside its name and content: about what the map and the allocations add.
const OVERHEAD: usize = 64;

fn size(name: &Name, content: &Content) -> usize {
    let content = match content {
        Content::Plain(bytes) => bytes.len(),
        Content::Entry(container) => container.size(),
        Content::Barrier(_) | Content::Number(_) => 0,
    };
    OVERHEAD + name.len() + content
}
