//! What a value looks like to serde, as text.

mod access;
mod choices;
mod error;
mod path;
mod registry;
mod render;
mod samples;
mod trace;
mod tracer;
mod variant;

use std::fmt;

use serde::de::DeserializeOwned;

pub use error::{ShapeError, ShapeErrorKind};

/// What a value looks like to serde, as text: the names, the order and the types of its fields and
/// variants.
///
/// ```
/// use larder_codec::Shape;
/// # use serde::Deserialize;
/// #[derive(Deserialize)]
/// struct Deal { id: u64, title: String, tags: Vec<String>, kind: Kind }
/// #[derive(Deserialize)]
/// enum Kind { Plain, Bundle(Vec<Deal>), Rebate { percent: u8 } }
///
/// let shape = Shape::traced::<Deal>(false)?;
/// assert_eq!(
///     shape.as_str(),
///     "Deal{id:u64,title:str,tags:[str],kind:Kind<Plain,Bundle([^0]),Rebate{percent:u8}>}",
/// );
/// # Ok::<(), larder_codec::ShapeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape(String);

impl Shape {
    /// Traces a type: lets it read itself from a source that writes down what it asks for, until
    /// every variant of every enum in it was read once. `human_readable` is the codec's.
    ///
    /// The values that it gets are made up. A type that validates what it reads gets others until one
    /// is accepted: texts in usual forms (dates, addresses, identifiers), bytes of usual lengths,
    /// small numbers. So it costs microseconds to a few milliseconds, once, when a cache is built;
    /// with the effects of the type's own `Deserialize`, if it has any.
    ///
    /// It never guesses: where a place is not reached or asks for different things in different
    /// passes, it is an error that names the place. Found in this way are also types that postcard
    /// could not read back.
    ///
    /// # Errors
    /// The type is not traced to its end. [`ShapeError::path`] says where, [`ShapeError::kind`] why.
    pub fn traced<V: DeserializeOwned>(human_readable: bool) -> Result<Self, ShapeError> {
        trace::shape::<V>(human_readable).map(Self)
    }

    /// A shape that a codec says, for it writes nothing but such values.
    #[must_use]
    pub fn given(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
