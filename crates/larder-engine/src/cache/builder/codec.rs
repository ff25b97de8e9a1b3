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
    /// Keeps values in the larder's far store as well, encoded by postcard. With a larder that has
    /// none the cache is near only: embedded by default, far where there is one.
    ///
    /// When the cache is built the value's type is traced through serde, once, in microseconds: its
    /// shape is stored with each value, so that another version's values are misses.
    pub fn far(self) -> Self {
        self.far_with(true, Box::new(postcard::<V>))
    }

    /// Keeps values in the larder's far store alone: each call without a running load to join asks
    /// there. Not possible with a larder that has none.
    pub fn far_only(self) -> Self {
        self.far_with(false, Box::new(postcard::<V>))
    }
}

impl<K, V> CacheBuilder<K, V>
where
    K: Key,
    V: Shaped + Send + Sync,
{
    /// Takes the shape that the values' type says of itself (`#[derive(larder::Schema)]`), in the
    /// place of tracing it: for types that tracing cannot follow to their end.
    pub fn shaped(self) -> Self {
        self.said(ShapeText::of::<V>())
    }
}

fn postcard<V>(making: Making) -> Result<Arc<dyn Coding<V>>, BuildError>
where
    V: Serialize + DeserializeOwned + Send + Sync + 'static,
{
    let codec: &dyn Codec<V> = &Postcard;
    let format = match making.schema {
        Some(Said::Number(number)) => Format::new(Postcard, Schema::numbered(number, codec.id())),
        Some(Said::Shape(shape)) => Format::new(Postcard, Schema::of_shape(&shape, codec.id())),
        None => Format::traced(Postcard).map_err(|error| {
            let ways = "derive its shape and say `shaped`, or number it with `schema`";
            BuildError::new("schema", format!("cannot be traced: {error}; {ways}"))
        })?,
    };
    Ok(Arc::new(Frames {
        cache: making.cache,
        format,
        largest: making.largest,
    }))
}
