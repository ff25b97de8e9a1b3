//! A value as bytes and back.

use std::fmt;

use crate::{Shape, ShapeError};

/// Turns the values of a cache into bytes and back.
///
/// The value is a parameter of the trait, so the trait is object-safe and a cache holds an
/// `Arc<dyn Codec<V>>`: one call through a pointer beside a trip to a server, and no further type
/// parameter on every cache.
///
/// Bytes come from a store that others can write to. [`decode`](Self::decode) must answer any bytes
/// with a value or an error, never with a panic, an abort (an overflow of the stack is one), or
/// memory out of proportion to the bytes.
pub trait Codec<V>: Send + Sync {
    /// The number that frames carry: 1 to 127 are larder's, 128 to 255 are free. Two codecs that read
    /// each other's bytes wrongly need two numbers.
    fn id(&self) -> u8;

    /// The shape of the values as this codec writes them. Found once, when a cache is built.
    ///
    /// # Errors
    /// It cannot be found, as it is unless a codec says otherwise: the cache is given a schema then.
    fn shape(&self) -> Result<Shape, ShapeError> {
        Err(ShapeError::untraced::<V>())
    }

    /// Appends the value's bytes to `out`, which the caller has given room to.
    ///
    /// # Errors
    /// The value has no form in this codec. What was appended until then is the caller's to cut off.
    fn encode(&self, value: &V, out: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// The value of exactly these bytes.
    ///
    /// # Errors
    /// They are not the bytes of a value, or more than those.
    fn decode(&self, bytes: &[u8]) -> Result<V, DecodeError>;
}

/// Why a value could not be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The codec has no form for such a value: a sequence that does not know its length, for one.
    #[error("the codec has no form for such a value")]
    Unsupported,
    /// The value's own `Serialize` gave an error.
    #[error("the value refused to be written")]
    Value,
    /// Its form in the codec is also that of another value, as which it would be read.
    #[error("would be read as another value")]
    Lossy,
    /// The system gave no randomness to encrypt with.
    #[error("no randomness to encrypt with")]
    Randomness,
    /// A tag, the tags, the validator or the payload is longer than a frame can say.
    #[error("too long for a frame")]
    TooLong,
}

/// Why bytes are no value. Never the bytes themselves: they may be secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// They end early, or say what no such value says.
    #[error("not the bytes of such a value")]
    Malformed,
    /// There are more bytes than the value has.
    #[error("more bytes than the value has")]
    Trailing,
    /// The value is nested deeper than 128 levels.
    #[error("nested too deep")]
    TooDeep,
    /// A sequence or map says that it has more elements than its bytes could hold.
    #[error("more elements than the bytes could hold")]
    TooMany,
}

impl<V> fmt::Debug for dyn Codec<V> + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "codec {}", self.id())
    }
}
