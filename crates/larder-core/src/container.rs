//! What a far store keeps under one key: a layer of the store's own around the frames.

mod barrier;
mod layout;
mod part;
mod token;

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use crate::Ttl;

pub use barrier::{Barrier, Barriers};
pub use part::{Part, PartError, TooLarge};
pub use token::Token;

/// What a far store keeps under one key: a token, and at most two parts with a frame each.
///
/// The token dies with every invalidation, so a store that carries an old one is refused. There are
/// two parts, so that two versions of a program, whose values have different schemas, live side by
/// side under one key and an invalidation by either reaches both.
///
/// The bytes are made for a server's script: fixed offsets, little-endian, no varints; the layout is
/// in `docs/src/reference/container.md`. Reading copies nothing: frames and barriers are slices of
/// the bytes read.
///
/// ```
/// use std::time::Duration;
/// use bytes::Bytes;
/// use larder_core::Ttl;
/// use larder_core::container::{Container, Part, Token};
///
/// let hour = Ttl::new(Duration::from_secs(3600))?;
/// let part = Part::new(1, &[], Bytes::from_static(b"frame"))?;
/// let mut container = Container::new(Token::new([7; 16]));
/// assert_eq!(container.keep(part, hour, Duration::ZERO), hour);
///
/// let read = Container::parse(&container.to_bytes())?;
/// assert_eq!(read.part(1).map(|part| &part.frame()[..]), Some(&b"frame"[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Container {
    token: Token,
    /// The one stored last comes first.
    parts: [Option<Part>; 2],
    broken: Option<PartError>,
}

/// The bytes are no container: they are shorter than a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "its name says all")]
pub struct NoContainer;

impl Container {
    /// A container without parts: what the holder of a fresh token leaves while it loads.
    #[must_use]
    pub const fn new(token: Token) -> Self {
        Self {
            token,
            parts: [None, None],
            broken: None,
        }
    }

    /// Reads a container.
    ///
    /// Wrong bytes cost the part that they are in, and the parts behind it if its length is wrong;
    /// never the token. [`broken`](Self::broken) then says why.
    ///
    /// # Errors
    /// There are fewer bytes than a token has.
    pub fn parse(bytes: &Bytes) -> Result<Self, NoContainer> {
        let token = bytes.first_chunk().ok_or(NoContainer)?;
        let mut container = Self::new(Token::new(*token));
        let mut rest = bytes.slice(layout::TOKEN..);
        for _ in 0..container.parts.len() {
            if rest.is_empty() {
                return Ok(container);
            }
            match Part::split(&mut rest) {
                Ok(part) => container.append(part),
                Err(error) => container.broken = container.broken.or(Some(error)),
            }
        }
        if !rest.is_empty() {
            container.broken = container.broken.or(Some(PartError::Trailing));
        }
        Ok(container)
    }

    /// The token.
    #[must_use]
    pub const fn token(&self) -> Token {
        self.token
    }

    /// The parts, the one stored last first.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().flatten()
    }

    /// The part of this schema.
    #[must_use]
    pub fn part(&self, schema: u64) -> Option<&Part> {
        self.parts().find(|part| part.schema() == schema)
    }

    /// Why [`parse`](Self::parse) dropped a part; if it dropped two, the first.
    #[must_use]
    pub const fn broken(&self) -> Option<PartError> {
        self.broken
    }

    /// Keeps a part for `life`, under a key that has `left` (zero, if it is not there yet), and gives
    /// the time for which the key has to be kept from now on.
    ///
    /// The part of the same schema goes. Of the others the one stored last stays, with its own end,
    /// unless that end has come. Times are whole milliseconds: no part ends later than it should.
    pub fn keep(&mut self, part: Part, life: Ttl, left: Duration) -> Ttl {
        let schema = part.schema();
        let left = whole_millis(left.min(Ttl::MAX.duration()));
        let life = whole_millis(life.duration());
        let others = self.parts.iter_mut().filter_map(Option::take);
        let other = others
            .map(|old| (old.left(left), old))
            .find(|(ends, old)| old.schema() != schema && !ends.is_zero());
        let key = other.as_ref().map_or(life, |(ends, _)| life.max(*ends));
        self.parts = [
            Some(part.ending(key - life)),
            other.map(|(ends, old)| old.ending(key - ends)),
        ];
        Ttl::new(key).unwrap_or(Ttl::MIN)
    }

    /// Marks all parts as expired, so that they serve as a fallback only, and takes a new token, so
    /// that running loads are refused.
    pub fn expire(&mut self, token: Token) {
        self.token = token;
        self.parts.iter_mut().flatten().for_each(Part::expire);
    }

    /// The container's bytes. Copies the frames, once, into a buffer of the right size.
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        let size = layout::TOKEN + self.parts().map(Part::size).sum::<usize>();
        let mut out = Vec::with_capacity(size);
        out.extend_from_slice(&self.token.bytes());
        self.parts().for_each(|part| part.write(&mut out));
        Bytes::from(out)
    }

    fn append(&mut self, part: Part) {
        if self.part(part.schema()).is_some() {
            self.broken = self.broken.or(Some(PartError::Twice));
        } else if let Some(free) = self.parts.iter_mut().find(|part| part.is_none()) {
            *free = Some(part);
        }
    }
}

/// The duration without what is under a millisecond.
fn whole_millis(duration: Duration) -> Duration {
    Duration::new(duration.as_secs(), duration.subsec_millis() * 1_000_000)
}

impl fmt::Debug for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Container")
            .field("parts", &self.parts().collect::<Vec<_>>())
            .field("broken", &self.broken)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for NoContainer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes are shorter than a container's token")
    }
}

impl std::error::Error for NoContainer {}
