//! The slots of an entry's tags.

use std::sync::Arc;

/// The numbers of the stamps that invalidations of an entry's tags raise.
///
/// Up to two lie in the entry itself; more are shared by its clones. 16 bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TagSlots(Repr);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Repr {
    Few(u8, [u32; FEW]),
    Many(Arc<Box<[u32]>>),
}

const FEW: usize = 2;

impl Default for Repr {
    fn default() -> Self {
        Self::Few(0, [0; FEW])
    }
}

impl TagSlots {
    /// The slots, in no order that matters.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[u32] {
        match &self.0 {
            Repr::Few(len, slots) => &slots[..usize::from(*len)],
            Repr::Many(slots) => slots,
        }
    }
}

impl FromIterator<u32> for TagSlots {
    fn from_iter<I: IntoIterator<Item = u32>>(slots: I) -> Self {
        let slots: Vec<u32> = slots.into_iter().collect();
        let mut few = [0; FEW];
        if slots.len() > FEW {
            return Self(Repr::Many(Arc::new(slots.into())));
        }
        few[..slots.len()].copy_from_slice(&slots);
        Self(Repr::Few(slots.len() as u8, few))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_are_kept_in_sixteen_bytes() {
        for count in 0..6_u32 {
            let slots: Vec<u32> = (10..10 + count).collect();
            let kept: TagSlots = slots.iter().copied().collect();
            assert_eq!(kept.as_slice(), slots);
            assert_eq!(kept.clone().as_slice(), slots);
        }
        assert_eq!(size_of::<TagSlots>(), 16);
    }
}
