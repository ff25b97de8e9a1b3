//! Values as frames of `larder-codec`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::Bytes;
use larder_codec::{Format, Labels, Refusal, Times};
use larder_core::Address;

use super::coding::{About, Coding, Decoded, Unfit};
use crate::outcome::Why;

/// Values of one cache as frames.
pub(crate) struct Frames<V> {
    pub(crate) cache: Arc<str>,
    pub(crate) format: Format<V>,
    /// The largest frame, in bytes.
    pub(crate) largest: usize,
}

/// Longer texts go by their hash.
const LONGEST_NAME: usize = 512;

impl<V: Send + Sync> Coding<V> for Frames<V> {
    fn schema(&self) -> u64 {
        self.format.schema().bits()
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
            stale: about.stale,
            age: about.age,
            cost: about.cost,
        };
        let labels = Labels {
            tags: about.tags,
            validator: about.validator,
        };
        let address = Address::new(&self.cache, name);
        let encode = || self.format.encode(address, value, times, &labels);
        let frame = caught(encode).and_then(Result::ok);
        let frame = frame.ok_or(Unfit::Unencodable)?;
        if frame.len() > self.largest {
            return Err(Unfit::TooLarge);
        }
        Ok(frame.into())
    }

    fn decode(&self, name: &[u8], frame: &[u8]) -> Result<Decoded<V>, Why> {
        let address = Address::new(&self.cache, name);
        let read = caught(|| self.format.decode(address, frame));
        let read = read.ok_or(Why::Corrupt)?.map_err(reason)?;
        Ok(Decoded {
            value: read.value.map(Arc::new),
            tags: read.frame.tags().map(str::to_owned).collect(),
            ttl: read.frame.times().ttl,
            stale: read.frame.times().stale,
            age: read.frame.times().age,
            cost: read.frame.times().cost,
            validator: read.frame.validator().map(Box::from),
        })
    }
}

fn reason(refusal: Refusal) -> Why {
    if refusal.is_foreign() {
        Why::Schema
    } else {
        Why::Corrupt
    }
}

/// What the user's `Serialize` or `Deserialize` gives; `None` if it panics. Else one stored value
/// that a type does not bear would fail every call of its key.
fn caught<T>(code: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(code)).ok()
}
