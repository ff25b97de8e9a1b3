//! What is done to values before they are stored far.

#[cfg(feature = "encrypt")]
use std::sync::Arc;

#[cfg(feature = "codec")]
use larder_codec::Format;
#[cfg(feature = "encrypt")]
use larder_codec::Keys;
#[cfg(feature = "compress")]
use larder_codec::LARGEST_COMPRESSED;
#[cfg(any(feature = "compress", feature = "encrypt"))]
use larder_core::Key;

#[cfg(any(feature = "compress", feature = "encrypt"))]
use super::CacheBuilder;
use crate::build_error::BuildError;

/// What was asked for.
#[derive(Default)]
pub(super) struct Wrapping {
    #[cfg(feature = "compress")]
    compress: Option<usize>,
    #[cfg(feature = "encrypt")]
    encrypt: Option<Arc<Keys>>,
}

impl Wrapping {
    /// A setting that was made.
    pub(super) fn made(&self) -> Option<&'static str> {
        #[cfg(feature = "encrypt")]
        if self.encrypt.is_some() {
            return Some("encrypt");
        }
        #[cfg(feature = "compress")]
        if self.compress.is_some() {
            return Some("compress");
        }
        None
    }

    /// Whether it makes sense.
    pub(super) fn fits(&self) -> Result<(), BuildError> {
        #[cfg(feature = "compress")]
        if self
            .compress
            .is_some_and(|least| least > LARGEST_COMPRESSED)
        {
            let text = "must not be over 16 MiB: nothing larger is compressed";
            return Err(BuildError::new("compress", text));
        }
        Ok(())
    }

    #[cfg(feature = "codec")]
    pub(super) fn around<V>(self, format: Format<V>) -> Format<V> {
        #[cfg(feature = "compress")]
        let format = match self.compress {
            Some(threshold) => format.compressed(threshold),
            None => format,
        };
        #[cfg(feature = "encrypt")]
        let format = match self.encrypt {
            Some(keys) => format.encrypted(keys),
            None => format,
        };
        format
    }
}

#[cfg(feature = "compress")]
impl<K: Key, V: Send + Sync + 'static> CacheBuilder<K, V> {
    /// Compresses values of at least so many bytes in the far store, by LZ4, where that makes them
    /// smaller. A value of more than 16 MiB is left as it is, and none is expanded past that; so the
    /// threshold is at most that.
    ///
    /// Caches without this read compressed values too, so it can be turned on and off at any time.
    pub fn compress(mut self, threshold: usize) -> Self {
        self.far.wrapping.compress = Some(threshold);
        self
    }
}

#[cfg(feature = "encrypt")]
impl<K: Key, V: Send + Sync + 'static> CacheBuilder<K, V> {
    /// Encrypts values in the far store, each bound to its key, its cache and its frame's header:
    /// one that was copied from elsewhere or edited is a miss, and so is one that is not encrypted.
    /// Keys, tags and lengths lie there readable as before.
    pub fn encrypt(mut self, keys: impl Into<Arc<Keys>>) -> Self {
        self.far.wrapping.encrypt = Some(keys.into());
        self
    }
}
