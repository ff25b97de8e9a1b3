//! The slots of an entry's tags, and what few entries have beside them.

use std::sync::Arc;

use crate::Rare;

/// The numbers of the stamps that invalidations of an entry's tags raise; in an entry also what few
/// entries have.
///
/// One word in the entry, which is nothing for a value without either: both are shared by the
/// clones of an entry.
#[derive(Debug, Clone, Default)]
pub struct TagSlots(Option<Arc<Inside>>);

#[derive(Debug)]
struct Inside {
    slots: Box<[u32]>,
    rare: Option<Box<Rare>>,
}

impl TagSlots {
    /// The slots, in no order that matters.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[u32] {
        self.0.as_ref().map_or(&[], |inside| &inside.slots)
    }

    /// What the entry has that few have.
    #[inline]
    #[must_use]
    pub fn rare(&self) -> Option<&Rare> {
        self.0.as_ref()?.rare.as_deref()
    }

    /// The same slots, beside `rare`.
    #[must_use]
    pub fn beside(&self, rare: Rare) -> Self {
        Self::of(self.as_slice().into(), Some(rare.into()))
    }

    /// The same slots alone.
    #[must_use]
    pub fn alone(&self) -> Self {
        match self.rare() {
            None => self.clone(),
            Some(_) => Self::of(self.as_slice().into(), None),
        }
    }

    fn of(slots: Box<[u32]>, rare: Option<Box<Rare>>) -> Self {
        let some = !slots.is_empty() || rare.is_some();
        Self(some.then(|| Arc::new(Inside { slots, rare })))
    }
}

impl FromIterator<u32> for TagSlots {
    fn from_iter<I: IntoIterator<Item = u32>>(slots: I) -> Self {
        Self::of(slots.into_iter().collect(), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use larder_core::Moment;

    #[test]
    fn none_and_many_are_kept_in_one_word() {
        for count in 0..6_u32 {
            let slots: Vec<u32> = (10..10 + count).collect();
            let kept: TagSlots = slots.iter().copied().collect();
            let rare = kept.beside(Rare::new(Moment::MAX, Moment::MAX));
            for kept in [&kept, &kept.clone(), &rare, &rare.alone()] {
                assert_eq!(kept.as_slice(), slots);
            }
            assert!(kept.rare().is_none() && rare.rare().is_some());
            assert!(rare.alone().rare().is_none());
        }
        assert_eq!(size_of::<TagSlots>(), size_of::<usize>());
    }
}
