//! Values as bytes: what larder keeps in far stores.
//!
//! # Nouns
//! - [`Codec`]: a value as bytes and back. [`Postcard`] is the default; [`Raw`] is for values that are
//!   bytes; `Json` and `Protobuf`, each a feature, are for values that others read as well.
//! - `Keys`, of the feature `encrypt`: what payloads are encrypted by.
//! - [`Frame`] and [`FrameRef`]: the bytes around an encoded value, written and read. Byte by byte in
//!   `docs/src/reference/frame.md`.
//! - [`Schema`]: the digest of a value's [`Shape`], so that the bytes of another type are a miss.
//! - [`Refusal`]: why bytes are not the value that was looked for.
//! - [`Format`]: a codec with a schema, by which a cache writes and reads frames.
//!
//! # What comes from a store is not believed
//! Others write to it, other versions of the program among them, and disks and networks damage what
//! lies there. So whatever the bytes are, reading ends with the value that was written under that key
//! or with a reason. There is no panic, no overflow of the stack, and no memory beyond a multiple of
//! the bytes. What this does not stop is somebody who writes sound frames on purpose: against him only
//! encryption helps.
//!
//! # What it is not
//! No store and no cache: when a frame is looked for, and how long its value may be used, is decided
//! elsewhere. The layer around frames, which a store's scripts change, is
//! [`larder_core::container`].

mod bounded;
mod codec;
#[cfg(feature = "compress")]
mod compress;
mod format;
mod frame;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "encrypt")]
mod keys;
mod postcard;
#[cfg(feature = "prost")]
mod protobuf;
mod raw;
mod schema;
mod shape;
mod shaped;
mod times;
mod wraps;

pub use codec::{Codec, DecodeError, EncodeError};
#[cfg(feature = "compress")]
pub use compress::LARGEST_COMPRESSED;
pub use format::{Decoded, Format, Labels};
pub use frame::{Frame, FrameRef, KeyDigest, Kind, Refusal, Subject, Tags};
#[cfg(feature = "json")]
pub use json::Json;
#[cfg(feature = "encrypt")]
pub use keys::Keys;
pub use postcard::Postcard;
#[cfg(feature = "prost")]
pub use protobuf::Protobuf;
pub use raw::Raw;
pub use schema::Schema;
pub use shape::{Shape, ShapeError, ShapeErrorKind};
pub use shaped::{ShapeText, Shaped};
pub use times::Times;
