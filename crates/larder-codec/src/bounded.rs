//! A deserializer that cannot be made to nest or to allocate without end.

mod access;
mod limits;
mod visitor;

use serde::de::{Deserializer, Visitor};

pub(crate) use limits::Limits;
use visitor::Within;

/// A deserializer around another one: it counts how deep values nest and how many elements they
/// claim. What the bytes decide, as JSON's do, counts as a value that holds others.
#[derive(Debug)]
pub(crate) struct Bounded<'l, D> {
    inner: D,
    limits: &'l Limits,
}

impl<'l, D> Bounded<'l, D> {
    pub(crate) const fn new(inner: D, limits: &'l Limits) -> Self {
        Self { inner, limits }
    }
}

/// Values that hold no others.
macro_rules! pass {
    ($($method:ident)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method(visitor)
        }
    )*};
}

/// Values that hold others: one level deeper.
macro_rules! nest {
    ($($method:ident($($argument:ident: $type:ty),*))*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(
            self,
            $($argument: $type,)*
            visitor: V,
        ) -> Result<V::Value, D::Error> {
            self.limits.enter()?;
            let visitor = Within::of_its_type(visitor, self.limits);
            let result = self.inner.$method($($argument,)* visitor);
            self.limits.leave();
            result
        }
    )*};
}

/// Values that hold others, and say themselves how many.
macro_rules! nest_claimed {
    ($($method:ident)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.limits.enter()?;
            let result = self.inner.$method(Within::claimed(visitor, self.limits));
            self.limits.leave();
            result
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Bounded<'_, D> {
    type Error = D::Error;

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }

    pass! {
        deserialize_bool
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64 deserialize_char
        deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf
        deserialize_unit deserialize_identifier deserialize_ignored_any
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_unit_struct(name, visitor)
    }

    nest! {
        deserialize_option()
        deserialize_newtype_struct(name: &'static str)
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    nest_claimed! { deserialize_any deserialize_seq deserialize_map }
}
