//! Values as JSON.

mod strict;

use std::cell::Cell;

use serde::Serialize;
use serde::de::DeserializeOwned;

use self::strict::Strict;
use crate::bounded::{Bounded, Limits};
use crate::{Codec, DecodeError, EncodeError, Shape, ShapeError};

/// JSON, for values that others read as well, or whose types need a format that says what it holds:
/// untagged and internally tagged enums, `flatten`, `serde_json::Value`. Those cannot be traced, so
/// the cache is given a schema.
///
/// Twice the bytes of [`Postcard`](crate::Postcard), and three times its time.
///
/// What JSON cannot tell from something else is not written: a float that is no number, which would
/// be `null`, and within a `Some` whatever is `null` itself, which would be `None` again. Keys of
/// maps are texts there; those of other types are written as their text or not at all. Floats are
/// read to the last bit.
///
/// Hostile bytes are bounded as with postcard: nesting to [`DEPTH`](Self::DEPTH) levels and half a
/// mebibyte of stack. Spaces around the value are accepted.
///
/// ```
/// use larder_codec::{Codec, EncodeError, Json};
/// let mut bytes = Vec::new();
/// Json.encode(&(7_u32, Some("seven".to_owned())), &mut bytes)?;
/// assert_eq!(bytes, br#"[7,"seven"]"#);
/// assert_eq!(Json.encode(&Some(f64::NAN), &mut bytes), Err(EncodeError::Lossy));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "it has no settings, and a frame has no room for any"
)]
pub struct Json;

impl Json {
    /// The number that frames carry.
    pub const ID: u8 = 2;

    /// The levels of nesting that are read: each struct, variant, option, sequence and map is one, and
    /// each value of which the bytes say what it is.
    pub const DEPTH: usize = 120;
}

impl<V: Serialize + DeserializeOwned> Codec<V> for Json {
    fn id(&self) -> u8 {
        Self::ID
    }

    fn shape(&self) -> Result<Shape, ShapeError> {
        Shape::traced::<V>(true)
    }

    fn encode(&self, value: &V, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let lossy = Cell::new(false);
        let mut writer = serde_json::Serializer::new(out);
        let written = value.serialize(Strict::new(&mut writer, &lossy));
        written.map_err(|error| match error.classify() {
            _ if lossy.get() => EncodeError::Lossy,
            serde_json::error::Category::Data => EncodeError::Value,
            _ => EncodeError::Unsupported,
        })
    }

    fn decode(&self, bytes: &[u8]) -> Result<V, DecodeError> {
        // An element takes a byte at least, so no more of them are ever claimed.
        let limits = Limits::new(Self::DEPTH, bytes.len().saturating_add(1));
        let mut reader = serde_json::Deserializer::from_slice(bytes);
        let value = V::deserialize(Bounded::new(&mut reader, &limits));
        let value = value.map_err(|_| limits.exceeded().unwrap_or(DecodeError::Malformed))?;
        reader.end().map_err(|_| DecodeError::Trailing)?;
        Ok(value)
    }
}
