//! The random bytes that an invalidation deletes.

use std::fmt;

/// The random bytes that an invalidation deletes, and with them whatever carries them.
///
/// Made new each time where one is missing and never counted up, so that a store which loses data
/// loses trust in values and not invalidations.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token([u8; 16]);

impl Token {
    /// The token with these bytes, which must be random.
    #[must_use]
    pub const fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub const fn bytes(self) -> [u8; 16] {
        self.0
    }

    /// Its first eight bytes: what a part keeps of a barrier's token.
    #[must_use]
    pub const fn head(self) -> [u8; 8] {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        [a, b, c, d, e, f, g, h]
    }
}

/// Who knows a token could store under it, so none is shown.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}
