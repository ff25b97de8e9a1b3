//! The slots of an entry's tags.

use std::sync::Arc;

/// The numbers of the stamps that invalidations of an entry's tags raise.
///
/// One word in the entry, which is nothing for a value without tags; the numbers are shared by the
/// clones of an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TagSlots(Option<Arc<Box<[u32]>>>);

impl TagSlots {
    /// The slots, in no order that matters.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[u32] {
        self.0.as_ref().map_or(&[], |slots| slots)
    }
}

impl FromIterator<u32> for TagSlots {
    fn from_iter<I: IntoIterator<Item = u32>>(slots: I) -> Self {
        let slots: Box<[u32]> = slots.into_iter().collect();
        Self((!slots.is_empty()).then(|| Arc::new(slots)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_and_many_are_kept_in_one_word() {
        for count in 0..6_u32 {
            let slots: Vec<u32> = (10..10 + count).collect();
            let kept: TagSlots = slots.iter().copied().collect();
            assert_eq!(kept.as_slice(), slots);
            assert_eq!(kept.clone().as_slice(), slots);
        }
        assert_eq!(size_of::<TagSlots>(), size_of::<usize>());
    }
}
