//! The digest that tells one shape of value from another.

use larder_core::digest;

use crate::{Codec, ShapeError};

/// The digest that tells one shape of value from another, with the codec that it is written in.
///
/// A deploy that changes a field's name, type or place changes the schema, so that the entries of
/// before are misses and never wrong values.
///
/// ```
/// use larder_codec::{Postcard, Schema};
/// # use serde::{Deserialize, Serialize};
/// mod before {
/// #   use serde::{Deserialize, Serialize};
///     #[derive(Serialize, Deserialize)]
///     pub struct Deal { pub id: u64, pub price: u64, pub stock: u64 }
/// }
/// mod after {
/// #   use serde::{Deserialize, Serialize};
///     #[derive(Serialize, Deserialize)]
///     pub struct Deal { pub id: u64, pub stock: u64, pub price: u64 }
/// }
/// let before = Schema::traced::<before::Deal>(&Postcard)?;
/// let after = Schema::traced::<after::Deal>(&Postcard)?;
/// assert_ne!(before, after);
/// # Ok::<(), larder_codec::ShapeError>(())
/// ```
///
/// 64 bits of XXH3 are enough: a schema is compared with the few that a cache ever had, and whoever
/// changes the type is nobody to defend against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Schema(u64);

impl Schema {
    /// The schema of `V`, found by the codec: for the codecs of serde
    /// [`Shape::traced`](crate::Shape::traced) says how, and what it costs.
    ///
    /// # Errors
    /// The type cannot be traced to its end: give it a number, with [`numbered`](Self::numbered).
    pub fn traced<V>(codec: &dyn Codec<V>) -> Result<Self, ShapeError> {
        let shape = codec.shape()?;
        Ok(Self::of_shape(shape.as_str(), codec.id()))
    }

    /// The schema of a shape given as text: what a derive writes. Where the text is the one of
    /// [`Shape::traced`](crate::Shape::traced), so is the schema.
    #[must_use]
    pub fn of_shape(text: &str, codec: u8) -> Self {
        Self::of("shape", text, codec)
    }

    /// The schema with this number, which has to change whenever the value's form does: nobody else
    /// will notice.
    #[must_use]
    pub fn numbered(number: u64, codec: u8) -> Self {
        Self::of("number", &number.to_string(), codec)
    }

    fn of(kind: &str, text: &str, codec: u8) -> Self {
        Self(digest(format!("{kind} {codec} {text}").as_bytes()))
    }

    /// The digest, as a [`Space`](larder_core::far::Space) and a container's part have it.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The schema with this digest.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }
}
