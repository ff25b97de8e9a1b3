//! Values as protobuf messages.

use prost::Message;

use crate::{Codec, DecodeError, EncodeError};

/// Protobuf, for values that are messages: structs with `#[derive(prost::Message)]` and numbered
/// fields, which others read as well. Neither `protoc` nor a build script is needed.
///
/// Nothing tells how a message looks, for fields are numbers there. So the cache is given its schema:
/// `shaped`, with `#[derive(larder::Schema)]` beside the one of prost, whose attributes are part of
/// the shape; or `schema` with a number.
///
/// Fields of unknown numbers are skipped, and missing ones have their default, as protobuf wants it:
/// a value that a newer program wrote loses what this one does not know. It is the schema that keeps
/// such a value from being read.
///
/// Hostile bytes are bounded: messages within each other to 100 levels, and no more memory than a
/// multiple of the bytes, for every element takes two bytes at least, or one if it is a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "it has no settings, and a frame has no room for any"
)]
pub struct Protobuf;

impl Protobuf {
    /// The number that frames carry.
    pub const ID: u8 = 3;
}

impl<V: Message + Default> Codec<V> for Protobuf {
    fn id(&self) -> u8 {
        Self::ID
    }

    fn encode(&self, value: &V, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        // A `Vec` is never full.
        value.encode(out).map_err(|_| EncodeError::TooLong)
    }

    fn decode(&self, bytes: &[u8]) -> Result<V, DecodeError> {
        V::decode(bytes).map_err(|_| DecodeError::Malformed)
    }
}
