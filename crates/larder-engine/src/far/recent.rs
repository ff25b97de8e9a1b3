//! Changes that the far store has acknowledged lately.

use std::collections::BTreeMap;
use std::mem;
use std::sync::PoisonError;
use std::time::Duration;

use larder_core::Moment;
use larder_core::sync::{Mutex, MutexGuard};

use super::Item;

/// Changes that the far store has acknowledged lately, the last of each key, tag and cache: where
/// another server takes over that never heard of them, they are to be sent again.
pub(super) struct Recent {
    window: Duration,
    most: usize,
    items: Mutex<BTreeMap<Item, Moment>>,
}

impl Recent {
    pub(super) fn new(window: Duration, most: usize) -> Self {
        let items = Mutex::default();
        Self {
            window,
            most,
            items,
        }
    }

    /// The store has acknowledged it. If too many are younger than the window, they are one clear.
    pub(super) fn note(&self, item: Item, now: Moment) {
        let mut items = self.lock();
        items.insert(item, now);
        if items.len() > self.most {
            items.retain(|_, at| now <= at.after(self.window));
        }
        if items.len() > self.most {
            items.clear();
            items.insert(Item::All, now);
        }
    }

    /// Those of the window. They are noted again when they are acknowledged again.
    pub(super) fn take(&self, now: Moment) -> Vec<Item> {
        let items = mem::take(&mut *self.lock());
        let young = |(item, at): (Item, Moment)| (now <= at.after(self.window)).then_some(item);
        items.into_iter().filter_map(young).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Item, Moment>> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Duration = Duration::from_secs(10);

    fn at(secs: u64) -> Moment {
        Moment::from_nanos(0).after(Duration::from_secs(secs))
    }

    fn tag(name: &str) -> Item {
        Item::Tag(name.to_owned())
    }

    #[test]
    fn what_is_older_than_the_window_is_not_sent_again() {
        let recent = Recent::new(WINDOW, 10);
        recent.note(tag("a"), at(0));
        recent.note(tag("b"), at(1));
        recent.note(tag("c"), at(0));
        recent.note(tag("c"), at(5));
        assert_eq!(recent.take(at(11)), [tag("b"), tag("c")]);
        assert!(recent.take(at(11)).is_empty(), "each once");
    }

    #[test]
    fn more_than_are_remembered_are_one_clear_and_old_ones_count_for_nothing() {
        let recent = Recent::new(WINDOW, 2);
        for (name, when) in [("a", 0), ("b", 1), ("c", 11)] {
            recent.note(tag(name), at(when));
        }
        assert_eq!(recent.take(at(11)), [tag("b"), tag("c")]);
        for name in ["a", "b", "c", "d"] {
            recent.note(tag(name), at(20));
        }
        assert_eq!(recent.take(at(20)), [Item::All, tag("d")]);
    }
}
