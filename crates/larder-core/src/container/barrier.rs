//! The barriers that a part was loaded under.

use std::fmt;

use bytes::Bytes;

use super::layout;

/// A barrier that a part was loaded under: if the barrier's token is another one now, or is missing,
/// the part is dead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "its bytes are fixed")]
pub struct Barrier {
    /// The [digest](crate::digest) of the barrier's name, which also names its key.
    pub name: u64,
    /// The [head](super::Token::head) of the token that it had.
    pub token: [u8; 8],
}

/// The barriers of a part, as they lie in the container.
#[derive(Clone, PartialEq, Eq)]
pub struct Barriers(Bytes);

impl Barriers {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len() / layout::BARRIER
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The barriers in the order of storing.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Barrier> + '_ {
        self.0.chunks_exact(layout::BARRIER).map(|bytes| Barrier {
            name: u64::from_le_bytes(std::array::from_fn(|at| bytes[at])),
            token: std::array::from_fn(|at| bytes[layout::BARRIER_TOKEN + at]),
        })
    }

    /// Those that lie in these bytes.
    pub(super) const fn in_bytes(bytes: Bytes) -> Self {
        Self(bytes)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl FromIterator<Barrier> for Barriers {
    fn from_iter<I: IntoIterator<Item = Barrier>>(barriers: I) -> Self {
        let barriers = barriers.into_iter();
        let mut bytes = Vec::with_capacity(barriers.size_hint().0 * layout::BARRIER);
        for barrier in barriers {
            bytes.extend_from_slice(&barrier.name.to_le_bytes());
            bytes.extend_from_slice(&barrier.token);
        }
        Self(Bytes::from(bytes))
    }
}

impl fmt::Debug for Barriers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} barriers", self.len())
    }
}
