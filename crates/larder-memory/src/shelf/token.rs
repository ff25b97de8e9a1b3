//! Tokens.

use fastrand::Rng;

/// 16 random bytes that stand for "nothing was invalidated since".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token(u128);

impl Token {
    /// What a token takes in bytes.
    pub(super) const SIZE: usize = 16;

    /// A new one. Never a number that goes up: a store that lost its last steps would count to the
    /// same number again.
    pub(super) fn new(random: &mut Rng) -> Self {
        Self(random.u128(..))
    }

    pub(super) const fn to_bytes(self) -> [u8; Self::SIZE] {
        self.0.to_be_bytes()
    }

    pub(super) const fn from_bytes(bytes: [u8; Self::SIZE]) -> Self {
        Self(u128::from_be_bytes(bytes))
    }
}
