//! What is done to payloads between codec and frame.

use std::borrow::Cow;
#[cfg(feature = "encrypt")]
use std::sync::Arc;

use larder_core::Address;

use crate::EncodeError;
#[cfg(feature = "encrypt")]
use crate::Keys;
#[cfg(feature = "compress")]
use crate::compress;
#[cfg(feature = "encrypt")]
use crate::frame::Kind;
use crate::frame::{Frame, FrameRef, Refusal};

/// What is done to the payloads of a cache: first compressed, then encrypted.
#[derive(Default)]
pub(crate) struct Wraps {
    #[cfg(feature = "compress")]
    pub(crate) threshold: Option<usize>,
    #[cfg(feature = "encrypt")]
    pub(crate) keys: Option<Arc<Keys>>,
}

impl Wraps {
    /// Writes a frame around what `payload` appends; without it, that of an absence.
    pub(crate) fn write<T: AsRef<str>>(
        &self,
        frame: &Frame<'_, T>,
        address: Address<'_>,
        out: &mut Vec<u8>,
        payload: Option<impl FnOnce(&mut Vec<u8>) -> Result<(), EncodeError>>,
    ) -> Result<(), EncodeError> {
        match payload {
            #[cfg(feature = "compress")]
            Some(payload) if self.threshold.is_some() => {
                let (bytes, compressed) = self.compressed(payload)?;
                let frame = Frame {
                    compressed,
                    ..*frame
                };
                let append = |out: &mut Vec<u8>| {
                    out.extend_from_slice(&bytes);
                    Ok(())
                };
                self.seal(&frame, address, out, Some(append))
            }
            payload => self.seal(frame, address, out, payload),
        }
    }

    /// The payload, and whether it is compressed.
    #[cfg(feature = "compress")]
    fn compressed(
        &self,
        payload: impl FnOnce(&mut Vec<u8>) -> Result<(), EncodeError>,
    ) -> Result<(Vec<u8>, bool), EncodeError> {
        let mut bytes = Vec::new();
        payload(&mut bytes)?;
        let large = self.threshold.is_some_and(|least| bytes.len() >= least);
        let packed = large.then(|| compress::compressed(&bytes)).flatten();
        Ok(packed.map_or((bytes, false), |packed| (packed, true)))
    }

    #[cfg(feature = "encrypt")]
    fn seal<T: AsRef<str>>(
        &self,
        frame: &Frame<'_, T>,
        address: Address<'_>,
        out: &mut Vec<u8>,
        payload: Option<impl FnOnce(&mut Vec<u8>) -> Result<(), EncodeError>>,
    ) -> Result<(), EncodeError> {
        match &self.keys {
            Some(keys) => frame.write_sealed(out, payload, (keys, address)),
            None => frame.write(out, payload),
        }
    }

    #[cfg(not(feature = "encrypt"))]
    fn seal<T: AsRef<str>>(
        &self,
        frame: &Frame<'_, T>,
        _: Address<'_>,
        out: &mut Vec<u8>,
        payload: Option<impl FnOnce(&mut Vec<u8>) -> Result<(), EncodeError>>,
    ) -> Result<(), EncodeError> {
        frame.write(out, payload)
    }

    /// What the codec wrote into the frame that these bytes are.
    pub(crate) fn read<'a>(
        &self,
        address: Address<'_>,
        bytes: &'a [u8],
        frame: &FrameRef<'a>,
    ) -> Result<Cow<'a, [u8]>, Refusal> {
        let opened = self.opened(address, bytes, frame)?;
        if !frame.is_compressed() {
            return Ok(opened);
        }
        #[cfg(feature = "compress")]
        return compress::expanded(&opened).map(Cow::Owned);
        #[cfg(not(feature = "compress"))]
        Err(Refusal::Codec)
    }

    #[cfg(feature = "encrypt")]
    fn opened<'a>(
        &self,
        address: Address<'_>,
        bytes: &'a [u8],
        frame: &FrameRef<'a>,
    ) -> Result<Cow<'a, [u8]>, Refusal> {
        match &self.keys {
            Some(keys) if frame.is_encrypted() => {
                let opened = keys.open(address, frame.before_payload(bytes), frame.payload())?;
                let surplus = frame.kind() == Kind::Absence && !opened.is_empty();
                let opened = (!surplus).then_some(opened);
                opened.map(Cow::Owned).ok_or(Refusal::Kind)
            }
            None if !frame.is_encrypted() => Ok(Cow::Borrowed(frame.payload())),
            _ => Err(Refusal::Codec),
        }
    }

    #[cfg(not(feature = "encrypt"))]
    fn opened<'a>(
        &self,
        _: Address<'_>,
        _: &'a [u8],
        frame: &FrameRef<'a>,
    ) -> Result<Cow<'a, [u8]>, Refusal> {
        let plain = !frame.is_encrypted();
        plain
            .then_some(Cow::Borrowed(frame.payload()))
            .ok_or(Refusal::Codec)
    }
}
