//! Invalidations that the far store has not acknowledged, and the fence around what they name.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use larder_core::sync::atomic::{AtomicUsize, Ordering};
use larder_core::sync::{Mutex, MutexGuard};
use larder_core::{Moment, guard};
use larder_flight::Stamps;

use super::recent::Recent;

/// What is to be invalidated. A put is queued as the invalidation of its key, never as a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Item {
    All,
    Tag(String),
    Key(Bytes),
}

impl Item {
    fn raise(&self, stamps: &Stamps) {
        let digest = match self {
            Self::All => {
                stamps.raise_all();
                return;
            }
            Self::Key(name) => larder_core::digest(name),
            Self::Tag(tag) => larder_core::digest(tag.as_bytes()),
        };
        stamps.raise(stamps.slot_by(digest));
    }
}

/// Invalidations without an answer, the last one per key, tag and cache.
///
/// While an item is here, no far answer that it names is used: its value may be older than the
/// invalidation. On overflow all items become one clear.
pub(crate) struct Queue {
    most: usize,
    items: Mutex<Items>,
    /// The number of items, so that the common look at an empty queue takes no lock.
    len: AtomicUsize,
    /// Of the caches of this name: one that was dropped and goes on draining, and the one built
    /// after it, which is behind the same fence.
    stamps: Mutex<Vec<Weak<Stamps>>>,
    /// What was acknowledged lately, where that is to be sent again.
    recent: Option<Recent>,
}

#[derive(Default)]
struct Items {
    by_name: BTreeMap<Item, u64>,
    turn: u64,
    draining: bool,
}

impl Queue {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            items: Mutex::default(),
            len: AtomicUsize::new(0),
            stamps: Mutex::default(),
            recent: None,
        }
    }

    /// Remembers for so long what was acknowledged.
    pub(crate) fn remembering(self, window: Option<Duration>) -> Self {
        let recent = window.map(|window| Recent::new(window, self.most));
        Self { recent, ..self }
    }

    /// The store has acknowledged an item.
    pub(crate) fn note(&self, item: &Item, now: Moment) {
        if let Some(recent) = &self.recent {
            recent.note(item.clone(), now);
        }
    }

    /// What was acknowledged lately, and is to be sent again.
    pub(crate) fn recent(&self, now: Moment) -> Vec<Item> {
        let recent = self.recent.as_ref();
        recent.map_or_else(Vec::new, |recent| recent.take(now))
    }

    /// A cache that stands behind this fence from now on.
    pub(crate) fn join(&self, stamps: &Arc<Stamps>) {
        let mut all = self.stamps.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|one| one.strong_count() > 0);
        all.push(Arc::downgrade(stamps));
    }

    /// Raises what an item names, in every cache behind the fence.
    pub(crate) fn raise(&self, item: &Item) {
        let all = self.stamps.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter_map(Weak::upgrade).for_each(|stamps| {
            item.raise(&stamps);
        });
    }

    /// Expires a key, in every cache behind the fence.
    pub(crate) fn expire(&self, name: &Bytes) {
        let digest = larder_core::digest(name);
        let all = self.stamps.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter_map(Weak::upgrade).for_each(|stamps| {
            stamps.expire(stamps.slot_by(digest));
        });
    }

    /// Adds an item; true if the caller is to start draining.
    pub(crate) fn add(&self, item: Item) -> bool {
        let mut items = self.lock();
        items.turn += 1;
        let turn = items.turn;
        items.by_name.insert(item, turn);
        if items.by_name.len() > self.most {
            items.by_name.clear();
            guard!(Overflow, items.by_name.insert(Item::All, turn), None);
        }
        self.len.store(items.by_name.len(), Ordering::SeqCst);
        !std::mem::replace(&mut items.draining, true)
    }

    /// The items with their turns; ends the draining if there are none.
    pub(crate) fn pending(&self) -> Vec<(Item, u64)> {
        let mut items = self.lock();
        items.draining = !items.by_name.is_empty();
        let pending = items.by_name.iter();
        pending.map(|(item, turn)| (item.clone(), *turn)).collect()
    }

    /// Takes off what was acknowledged, unless it was queued again since. A clear takes with it all
    /// that was queued before.
    pub(crate) fn acknowledged(&self, item: &Item, turn: u64) {
        let mut items = self.lock();
        items.by_name.retain(|queued, at| {
            let covered = queued == item || *item == Item::All;
            !(covered && *at <= turn)
        });
        self.len.store(items.by_name.len(), Ordering::SeqCst);
    }

    /// Whether a far answer for this key with these tags must not be used.
    pub(crate) fn fences(&self, key: &Bytes, tags: &[String]) -> bool {
        if guard!(Fence, self.len() == 0, true) {
            return false;
        }
        let items = self.lock();
        let queued = |item: &Item| items.by_name.contains_key(item);
        queued(&Item::All)
            || queued(&Item::Key(key.clone()))
            || tags.iter().any(|tag| queued(&Item::Tag(tag.clone())))
    }

    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::SeqCst)
    }

    fn lock(&self) -> MutexGuard<'_, Items> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &'static str) -> Item {
        Item::Key(Bytes::from_static(name.as_bytes()))
    }

    #[test]
    fn an_item_queued_again_stays_when_its_first_turn_is_acknowledged() {
        let queue = Queue::new(10);
        assert!(queue.add(key("a")), "the first starts the drain");
        let turn = queue.pending()[0].1;
        assert!(!queue.add(key("a")));
        queue.acknowledged(&key("a"), turn);
        assert!(queue.fences(&Bytes::from_static(b"a"), &[]));
        let turn = queue.pending()[0].1;
        queue.acknowledged(&key("a"), turn);
        assert!(!queue.fences(&Bytes::from_static(b"a"), &[]));
        assert!(queue.pending().is_empty());
        assert!(queue.add(key("a")), "an empty queue is drained anew");
    }

    #[test]
    fn the_fence_stands_around_keys_tags_and_the_cache() {
        let queue = Queue::new(10);
        queue.add(key("a"));
        queue.add(Item::Tag("t".into()));
        let (a, b) = (Bytes::from_static(b"a"), Bytes::from_static(b"b"));
        assert!(queue.fences(&a, &[]));
        assert!(!queue.fences(&b, &["u".to_owned()]));
        assert!(queue.fences(&b, &["u".to_owned(), "t".to_owned()]));
        queue.add(Item::All);
        assert!(queue.fences(&b, &[]));
    }

    #[test]
    fn an_overflow_is_one_clear_and_loses_nothing() {
        let queue = Queue::new(2);
        for name in ["a", "b", "c"] {
            queue.add(key(name));
        }
        assert_eq!(queue.len(), 1);
        assert!(queue.fences(&Bytes::from_static(b"zz"), &[]));
    }

    #[test]
    fn a_clear_takes_with_it_what_was_queued_before_and_nothing_later() {
        let queue = Queue::new(10);
        queue.add(key("a"));
        queue.add(Item::All);
        let turn = queue.pending()[0].1;
        queue.add(key("b"));
        queue.acknowledged(&Item::All, turn);
        assert_eq!(queue.pending().len(), 1);
        assert_eq!(queue.pending()[0].0, key("b"));
    }
}
