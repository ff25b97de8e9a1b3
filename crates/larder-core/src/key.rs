//! What an entry is found by.

mod impls;
mod reader;
mod writer;

use std::fmt;
use std::hash::Hash;

use crate::Lookup;

pub use reader::KeyReader;
pub use writer::KeyWriter;

/// What an entry is found by.
///
/// A key has a text, and the text is injective: two keys of one type with the same text are equal.
/// So no separator, empty part or odd character ever makes two argument lists one entry. The text
/// is the key's form in a far store and in admin paths; near hits never make it.
///
/// | part | text |
/// |---|---|
/// | integer, bool | `42`, `-7`, `true` |
/// | text | bytes outside `A-Za-z0-9._-` escaped as `%2C`; empty: `''` |
/// | tuple, fields of a derived key | the parts joined with `,`; none: `''` |
/// | `None`; `Some` | `~`; the part, with one more `~` in front if it starts with one |
/// | sequence | its parts joined with `,` between `[` and `]` |
/// | variant of a derived key | its name, then its fields, joined with `,` |
///
/// Floats have no `Key`: NaN would never hit, and 0.0 and -0.0 are equal and yet different. Use
/// `to_bits()`, or round to an integer.
///
/// Types of your own derive it: `#[derive(Clone, PartialEq, Eq, Hash, larder::Key)]`. By hand, two
/// methods are required; [`text`](Self::text) and [`parse`](Self::parse) stand on them.
///
/// ```
/// use larder_core::Key;
/// assert_eq!(("a,b".to_owned(), 7_u64).text(), "a%2Cb,7");
/// assert_eq!(<(String, u64)>::parse("a%2Cb,7")?, ("a,b".to_owned(), 7));
/// # Ok::<(), larder_core::KeyError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of a cache",
    label = "this part of the key has no injective text",
    note = "derive it with `#[derive(Clone, PartialEq, Eq, Hash, larder::Key)]`; \
            for a float use `to_bits()` or round it; or choose other parts with `key = …`"
)]
pub trait Key: Lookup<Self> + Clone + Eq + Hash + Send + Sync + 'static {
    /// Writes the key's text.
    fn write(&self, out: &mut KeyWriter);

    /// Reads a key as [`write`](Self::write) wrote it, and no further.
    ///
    /// # Errors
    /// The text at the reader's place is no such key.
    fn read(text: &mut KeyReader<'_>) -> Result<Self, KeyError>;

    /// The key's text.
    fn text(&self) -> String {
        let mut out = KeyWriter::new();
        self.write(&mut out);
        out.finish()
    }

    /// The key with this text.
    ///
    /// # Errors
    /// The text is not exactly what [`text`](Self::text) gives for some key: `007` is no integer's
    /// text, and `%41` is not the text of `A`.
    fn parse(text: &str) -> Result<Self, KeyError> {
        let mut reader = KeyReader::new(text);
        let key = Self::read(&mut reader)?;
        reader.end()?;
        if key.text() == text {
            Ok(key)
        } else {
            Err(KeyError::new(0, "the key in its own spelling"))
        }
    }
}

/// Why a text is no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyError {
    at: usize,
    expected: &'static str,
}

impl KeyError {
    /// At the byte `at`, `expected` was missing.
    #[must_use]
    pub const fn new(at: usize, expected: &'static str) -> Self {
        Self { at, expected }
    }

    /// The offset in bytes from which the text is wrong.
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at byte {}", self.expected, self.at)
    }
}

impl std::error::Error for KeyError {}
