//! Values as frames of `larder-codec`.

use std::sync::Arc;

use bytes::Bytes;
use larder_codec::{Codec, Frame, FrameRef, KeyDigest, Kind, Refusal, Schema, Subject, Times};
use larder_core::Address;

use super::coding::{About, Coding, Decoded, Unfit};
use crate::outcome::Why;

/// Values of one cache as frames, by a codec.
pub(crate) struct Frames<C> {
    pub(crate) cache: Arc<str>,
    pub(crate) codec: C,
    pub(crate) schema: Schema,
    /// The largest frame, in bytes.
    pub(crate) largest: usize,
}

/// Longer texts go by their hash.
const LONGEST_NAME: usize = 512;

impl<C> Frames<C> {
    fn subject<V>(&self, name: &[u8]) -> Subject
    where
        C: Codec<V>,
    {
        Subject {
            key: KeyDigest::new(Address::new(&self.cache, name)),
            schema: self.schema,
            codec: self.codec.id(),
        }
    }

    fn read<V>(&self, name: &[u8], bytes: &[u8]) -> Result<Decoded<V>, Refusal>
    where
        C: Codec<V>,
    {
        let frame = FrameRef::parse(bytes)?;
        self.subject(name).check(&frame)?;
        if frame.is_compressed() || frame.is_encrypted() {
            return Err(Refusal::Codec);
        }
        let value = match frame.kind() {
            Kind::Absence => None,
            Kind::Value => Some(Arc::new(self.codec.decode(frame.payload())?)),
        };
        Ok(Decoded {
            value,
            tags: frame.tags().map(str::to_owned).collect(),
            ttl: frame.times().ttl,
            age: frame.times().age,
        })
    }
}

impl<V, C: Codec<V>> Coding<V> for Frames<C> {
    fn schema(&self) -> u64 {
        self.schema.bits()
    }

    /// `#` is in no key's text, so that no short key has a long one's name.
    fn name(&self, text: String) -> Bytes {
        if text.len() <= LONGEST_NAME {
            return text.into();
        }
        format!("#{}", blake3::hash(text.as_bytes()).to_hex()).into()
    }

    fn encode(&self, name: &[u8], value: Option<&V>, about: &About<'_>) -> Result<Bytes, Unfit> {
        let times = Times {
            ttl: about.ttl,
            age: about.age,
            cost: about.cost,
            ..Times::default()
        };
        let mut frame = Frame::new(self.subject(name), times);
        frame.tags = about.tags;
        let mut out = Vec::new();
        let written = match value {
            None => frame.write_absence(&mut out),
            Some(value) => frame.write_value(&mut out, |out| self.codec.encode(value, out)),
        };
        written.map_err(|_| Unfit::Unencodable)?;
        if out.len() > self.largest {
            return Err(Unfit::TooLarge);
        }
        Ok(out.into())
    }

    fn decode(&self, name: &[u8], frame: &[u8]) -> Result<Decoded<V>, Why> {
        self.read(name, frame).map_err(|refusal| {
            if refusal.is_foreign() {
                Why::Schema
            } else {
                Why::Corrupt
            }
        })
    }
}
