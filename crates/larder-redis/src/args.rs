//! Arguments of requests.

use std::time::Duration;

use bytes::Bytes;
use larder_core::Ttl;
use larder_core::container::Token;

/// A number, as text.
pub(crate) fn number(number: u64) -> Bytes {
    number.to_string().into()
}

/// A time to keep something for, in whole milliseconds: never longer than asked for, and not so
/// long that a server could not add it to its clock. Zero stays zero.
pub(crate) fn millis(life: Duration) -> Bytes {
    let life = life.min(Ttl::MAX.duration()).as_millis();
    life.to_string().into()
}

/// As [`millis`], for what must live a moment at least.
pub(crate) fn some_millis(life: Duration) -> Bytes {
    millis(life.max(Duration::from_millis(1)))
}

/// A token's bytes.
pub(crate) fn token(token: Token) -> Bytes {
    Bytes::copy_from_slice(&token.bytes())
}

/// A token with what is asked of its barrier in front.
pub(crate) fn asked(mode: u8, token: Token) -> Bytes {
    let mut bytes = Vec::with_capacity(17);
    bytes.push(mode);
    bytes.extend_from_slice(&token.bytes());
    bytes.into()
}

/// A word that is the same in all requests.
pub(crate) const fn word(word: &'static str) -> Bytes {
    Bytes::from_static(word.as_bytes())
}
