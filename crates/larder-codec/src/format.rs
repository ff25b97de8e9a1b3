//! How the values of a cache lie in far stores.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use larder_core::Address;

use crate::frame::{Frame, FrameRef, KeyDigest, Kind, Refusal, Subject};
use crate::wraps::Wraps;
use crate::{Codec, EncodeError, Schema, ShapeError, Times};

/// How the values of a cache lie in far stores: a codec and a schema. Made once a cache.
///
/// ```
/// use std::time::Duration;
/// use larder_codec::{Format, Labels, Postcard, Refusal, Times};
/// use larder_core::Address;
///
/// let format = Format::<Vec<String>>::traced(Postcard)?;
/// let here = Address::new("titles", b"7");
/// let times = Times { ttl: Duration::from_secs(60), ..Times::default() };
/// let tags = ["shelf"];
/// let labels = Labels { tags: &tags, ..Labels::default() };
/// let bytes = format.encode(here, Some(&vec!["Lamp".to_owned()]), times, &labels)?;
///
/// let read = format.decode(here, &bytes)?;
/// assert_eq!(read.value, Some(vec!["Lamp".to_owned()]));
/// assert_eq!(read.frame.tags().collect::<Vec<_>>(), ["shelf"]);
/// let elsewhere = format.decode(Address::new("titles", b"8"), &bytes);
/// assert_eq!(elsewhere.err(), Some(Refusal::Key));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Format<V> {
    codec: Arc<dyn Codec<V>>,
    schema: Schema,
    wraps: Wraps,
    /// The size of the last frame: a good guess for the next.
    size: AtomicUsize,
}

/// What a frame carries beside its value and its times.
#[derive(Clone, Copy)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a frame of this version has no others"
)]
pub struct Labels<'a, T = &'a str> {
    /// The names of the tags, at most 65,535 of at most 65,535 bytes.
    pub tags: &'a [T],
    /// What the source knows the value's version by, at most 65,535 bytes.
    pub validator: Option<&'a [u8]>,
}

/// What a frame was read as.
#[non_exhaustive]
pub struct Decoded<'a, V> {
    /// The value; none, if what was kept is that there is none.
    pub value: Option<V>,
    /// The frame, with its times and labels.
    pub frame: FrameRef<'a>,
}

impl<V> Format<V> {
    /// A codec with a schema of one's own making: [`Schema::numbered`] or [`Schema::of_shape`].
    pub fn new(codec: impl Codec<V> + 'static, schema: Schema) -> Self {
        Self::of(Arc::new(codec), schema)
    }

    /// A codec with the [traced](Schema::traced) schema of the value.
    ///
    /// # Errors
    /// The type cannot be traced to its end.
    pub fn traced(codec: impl Codec<V> + 'static) -> Result<Self, ShapeError> {
        let schema = Schema::traced::<V>(&codec)?;
        Ok(Self::new(codec, schema))
    }

    /// A codec that is shared, with its schema.
    pub fn of(codec: Arc<dyn Codec<V>>, schema: Schema) -> Self {
        Self {
            codec,
            schema,
            wraps: Wraps::default(),
            size: AtomicUsize::new(0),
        }
    }

    /// Compresses values of at least so many bytes, by LZ4, where that makes them smaller. Values of
    /// more than 16 MiB are left as they are, and none is expanded past that.
    ///
    /// Compressed values are read without this too.
    #[cfg(feature = "compress")]
    #[must_use]
    pub fn compressed(mut self, threshold: usize) -> Self {
        self.wraps.threshold = Some(threshold);
        self
    }

    /// Encrypts values, and takes for misses those that are not: XChaCha20-Poly1305 with the address
    /// and all that lies before the value as associated data. So a value that was put under another
    /// key, or whose header or labels were changed, is a miss. Readable are still the address, the
    /// labels and the length.
    ///
    /// 44 bytes a value. An absence is sealed as well.
    #[cfg(feature = "encrypt")]
    #[must_use]
    pub fn encrypted(mut self, keys: Arc<crate::Keys>) -> Self {
        self.wraps.keys = Some(keys);
        self
    }

    /// The schema.
    #[must_use]
    pub const fn schema(&self) -> Schema {
        self.schema
    }

    /// The frame of a value (or of the absence of one) for a key. The value is written once; where
    /// the frame before this one was as large, one allocation is made.
    ///
    /// # Errors
    /// The codec has no form for the value, or something is too long for a frame.
    pub fn encode<T: AsRef<str>>(
        &self,
        address: Address<'_>,
        value: Option<&V>,
        times: Times,
        labels: &Labels<'_, T>,
    ) -> Result<Vec<u8>, EncodeError> {
        let frame = Frame {
            tags: labels.tags,
            validator: labels.validator,
            ..Frame::new(self.subject(address), times)
        };
        let mut out = Vec::with_capacity(self.size.load(Ordering::Relaxed));
        let payload = value.map(|value| |out: &mut Vec<u8>| self.codec.encode(value, out));
        self.wraps.write(&frame, address, &mut out, payload)?;
        self.size.store(out.len(), Ordering::Relaxed);
        if out.capacity() > 2 * out.len() {
            // A small frame after a large one is not to hold the room of both.
            out.shrink_to_fit();
        }
        Ok(out)
    }

    /// What the bytes under a key are. Nothing is believed before the checksum was compared, and
    /// memory is bounded by the number of bytes.
    ///
    /// # Errors
    /// Anything but a sound frame of this key, this schema and this codec is refused, with a reason.
    pub fn decode<'a>(
        &self,
        address: Address<'_>,
        bytes: &'a [u8],
    ) -> Result<Decoded<'a, V>, Refusal> {
        let frame = FrameRef::parse(bytes)?;
        self.subject(address).check(&frame)?;
        let payload = self.wraps.read(address, bytes, &frame)?;
        let value = match frame.kind() {
            Kind::Value => Some(self.codec.decode(&payload)?),
            Kind::Absence => None,
        };
        Ok(Decoded { value, frame })
    }

    fn subject(&self, address: Address<'_>) -> Subject {
        Subject {
            key: KeyDigest::new(address),
            schema: self.schema,
            codec: self.codec.id(),
        }
    }
}

impl<T> Default for Labels<'_, T> {
    fn default() -> Self {
        Self {
            tags: &[],
            validator: None,
        }
    }
}

impl<V> fmt::Debug for Format<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Format")
            .field("codec", &self.codec.id())
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}

/// Labels are not for logs.
impl<T> fmt::Debug for Labels<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Labels")
            .field("tags", &self.tags.len())
            .field("validator", &self.validator.map(<[u8]>::len))
            .finish()
    }
}

/// Values are not for logs.
impl<V> fmt::Debug for Decoded<'_, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoded")
            .field("frame", &self.frame)
            .finish_non_exhaustive()
    }
}
