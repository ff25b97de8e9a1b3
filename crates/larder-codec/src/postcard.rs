//! The default codec.

use postcard::ser_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bounded::{Bounded, Limits};
use crate::{Codec, DecodeError, EncodeError, Shape, ShapeError};

/// The default codec: [postcard](https://docs.rs/postcard), a compact binary form of what serde
/// derives. The smallest of those measured and among the fastest, because it writes no names; what
/// keeps it from reading another struct's bytes is the frame's [`Schema`](crate::Schema).
///
/// Hostile bytes are bounded: nesting to [`DEPTH`](Self::DEPTH) levels and half a mebibyte of stack,
/// so that a recursive type cannot overflow it; elements of sequences and maps, all together, to the number of bytes
/// and [`FREE_ELEMENTS`](Self::FREE_ELEMENTS) more, so that neither a claimed length nor elements
/// that take no bytes cost memory or time. A value beyond that is written, and then refused at each
/// reading: a miss.
///
/// Not for types that need a self-describing format: untagged and internally tagged enums,
/// `flatten`, `serde_json::Value`.
///
/// ```
/// use larder_codec::{Codec, DecodeError, Postcard};
/// let mut bytes = Vec::new();
/// Postcard.encode(&(7_u32, "seven".to_owned()), &mut bytes)?;
/// assert_eq!(bytes, b"\x07\x05seven");
/// assert_eq!(Codec::<(u32, String)>::decode(&Postcard, &bytes)?, (7, "seven".to_owned()));
/// bytes.push(0);
/// let longer = Codec::<(u32, String)>::decode(&Postcard, &bytes);
/// assert_eq!(longer, Err(DecodeError::Trailing));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "it has no settings, and a frame has no room for any"
)]
pub struct Postcard;

impl Postcard {
    /// The number that frames carry.
    pub const ID: u8 = 1;

    /// The levels of nesting that are read: each struct, variant, option, sequence and map is one.
    pub const DEPTH: usize = 128;

    /// The elements of sequences and maps that need not be covered by a byte each.
    pub const FREE_ELEMENTS: usize = 1024;
}

impl<V: Serialize + DeserializeOwned> Codec<V> for Postcard {
    fn id(&self) -> u8 {
        Self::ID
    }

    fn shape(&self) -> Result<Shape, ShapeError> {
        Shape::traced::<V>(false)
    }

    fn encode(&self, value: &V, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        postcard::serialize_with_flavor(value, Tail(out)).map_err(|error| match error {
            postcard::Error::SerdeSerCustom => EncodeError::Value,
            _ => EncodeError::Unsupported,
        })
    }

    fn decode(&self, bytes: &[u8]) -> Result<V, DecodeError> {
        let limits = Limits::new(Self::DEPTH, bytes.len().saturating_add(Self::FREE_ELEMENTS));
        let mut reader = postcard::Deserializer::from_bytes(bytes);
        let value = V::deserialize(Bounded::new(&mut reader, &limits));
        let value = value.map_err(|_| limits.exceeded().unwrap_or(DecodeError::Malformed))?;
        match reader.finalize() {
            Ok([]) => Ok(value),
            _ => Err(DecodeError::Trailing),
        }
    }
}

/// Writes at the end of a buffer that somebody else began.
struct Tail<'a>(&'a mut Vec<u8>);

impl Flavor for Tail<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}
