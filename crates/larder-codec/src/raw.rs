//! Values that are bytes already.

use std::str;
use std::sync::Arc;

use bytes::Bytes;

use crate::{Codec, DecodeError, EncodeError, Shape, ShapeError};

/// Values that are bytes or text already, as they are: `Bytes`, `Vec<u8>`, `Box<[u8]>`, `Arc<[u8]>`,
/// `String`, `Box<str>`, `Arc<str>`. Copied once when they are written, and once when they are read;
/// a text is looked at once more, to see that it is one.
///
/// ```
/// use larder_codec::{Codec, Raw};
/// let mut bytes = Vec::new();
/// Raw.encode(&"seven".to_owned(), &mut bytes)?;
/// assert_eq!(bytes, b"seven");
/// # Ok::<(), larder_codec::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "it has no settings, and a frame has no room for any"
)]
pub struct Raw;

impl Raw {
    /// The number that frames carry.
    pub const ID: u8 = 4;
}

macro_rules! raw {
    ($($type:ty: $shape:literal, $bytes:path = $read:path;)*) => {$(
        impl Codec<$type> for Raw {
            fn id(&self) -> u8 {
                Self::ID
            }

            fn shape(&self) -> Result<Shape, ShapeError> {
                Ok(Shape::given($shape))
            }

            fn encode(&self, value: &$type, out: &mut Vec<u8>) -> Result<(), EncodeError> {
                out.extend_from_slice($bytes(value));
                Ok(())
            }

            fn decode(&self, bytes: &[u8]) -> Result<$type, DecodeError> {
                $read(bytes)
            }
        }
    )*};
}

raw! {
    Bytes: "bytes", Bytes::as_ref = bytes;
    Vec<u8>: "bytes", Vec::as_slice = held;
    Box<[u8]>: "bytes", Box::as_ref = held;
    Arc<[u8]>: "bytes", Arc::as_ref = held;
    String: "str", str::as_bytes = text;
    Box<str>: "str", str::as_bytes = text;
    Arc<str>: "str", str::as_bytes = text;
}

fn bytes(bytes: &[u8]) -> Result<Bytes, DecodeError> {
    Ok(Bytes::copy_from_slice(bytes))
}

fn held<'a, V: From<&'a [u8]>>(bytes: &'a [u8]) -> Result<V, DecodeError> {
    Ok(V::from(bytes))
}

fn text<'a, V: From<&'a str>>(bytes: &'a [u8]) -> Result<V, DecodeError> {
    str::from_utf8(bytes)
        .map(V::from)
        .map_err(|_| DecodeError::Malformed)
}
