//! Caches whose values go into a far tier.

use std::sync::Arc;

use larder_codec::{Codec, Format, Postcard, Schema, ShapeText, Shaped};
use larder_core::Key;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::CacheBuilder;
use super::far::{Making, Said};
use crate::build_error::BuildError;
use crate::far::{Coding, Frames};

impl<K, V> CacheBuilder<K, V>
where
    K: Key,
    V: Serialize + DeserializeOwned + Send + Sync + 'static,
{
    /// Keeps values in the larder's far store as well, encoded by postcard unless by another
    /// [`codec`](Self::codec). With a larder that has none the cache is near only: embedded by
    /// default, far where there is one. What is wrong with the cache is refused all the same there: it
    /// must not be found out where there is a store.
    ///
    /// When the cache is built the value's type is traced through serde, once, in microseconds: its
    /// shape is stored with each value, so that another version's values are misses.
    pub fn far(self) -> Self {
        self.far_too(Box::new(postcard::<V>))
    }

    /// Keeps values in the larder's far store alone: each call without a running load to join asks
    /// there. Not possible with a larder that has none, nor beside [`far`](Self::far).
    pub fn far_only(self) -> Self {
        self.far_unless(Box::new(postcard::<V>))
            .far_alone("far_only")
    }
}

impl<K, V> CacheBuilder<K, V>
where
    K: Key,
    V: Send + Sync + 'static,
{
    /// Keeps values in the larder's far store as well, encoded by this codec. The values need what
    /// the codec asks for: serde's traits for `Json`, those of a message for `Protobuf`.
    pub fn codec(self, codec: impl Codec<V> + 'static) -> Self {
        self.far_by(Box::new(|making| coding(Arc::new(codec), making)))
    }

    /// Keeps values in the larder's far store alone, as [`far_only`](Self::far_only) does, for a
    /// [`codec`](Self::codec) whose values serde does not know.
    pub fn without_near(self) -> Self {
        self.far_alone("without_near")
    }
}

impl<K, V> CacheBuilder<K, V>
where
    K: Key,
    V: Shaped + Send + Sync,
{
    /// Takes the shape that the values' type says of itself (`#[derive(larder::Schema)]`), in the
    /// place of tracing it: for types that tracing cannot follow to their end, and for codecs that do
    /// not ask what a value looks like. In the place of [`schema`](Self::schema), not beside it.
    pub fn shaped(self) -> Self {
        self.said(ShapeText::of::<V>())
    }
}

fn postcard<V>(making: Making) -> Result<Arc<dyn Coding<V>>, BuildError>
where
    V: Serialize + DeserializeOwned + Send + Sync + 'static,
{
    coding(Arc::new(Postcard), making)
}

/// How the values of a cache are encoded, from its codec.
fn coding<V: Send + Sync + 'static>(
    codec: Arc<dyn Codec<V>>,
    making: Making,
) -> Result<Arc<dyn Coding<V>>, BuildError> {
    let schema = match making.schema {
        Some(Said::Number(number)) => Schema::numbered(number, codec.id()),
        Some(Said::Shape(shape)) => Schema::of_shape(&shape, codec.id()),
        None => Schema::traced(&*codec).map_err(|error| {
            let ways = "derive its shape and say `shaped`, or number it with `schema`";
            BuildError::new("schema", format!("cannot be traced: {error}; {ways}"))
        })?,
    };
    Ok(Arc::new(Frames {
        cache: making.cache,
        format: making.wrapping.around(Format::of(codec, schema)),
        largest: making.largest,
    }))
}
