//! The visitor of a value that holds others.

use std::fmt;

use serde::de::{Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Visitor};

use super::access::{Elements, Seed};
use super::{Bounded, Limits};

/// The visitor of a value that holds others: what it is shown of them is bounded too.
pub(super) struct Within<'l, V> {
    visitor: V,
    limits: &'l Limits,
    claimed: bool,
}

impl<'l, V> Within<'l, V> {
    /// The number of elements is that of the type.
    pub(super) const fn of_its_type(visitor: V, limits: &'l Limits) -> Self {
        Self {
            visitor,
            limits,
            claimed: false,
        }
    }

    /// The number of elements is what the bytes claim.
    pub(super) const fn claimed(visitor: V, limits: &'l Limits) -> Self {
        Self {
            visitor,
            limits,
            claimed: true,
        }
    }

    fn elements<A, E: Error>(&self, access: A, hint: Option<usize>) -> Result<Elements<'l, A>, E> {
        if !self.claimed {
            return Ok(Elements::free(access, self.limits));
        }
        // Without a hint there are more than bytes are left: they are counted one by one.
        let Some(count) = hint else {
            return Ok(Elements::counted(access, self.limits));
        };
        self.limits.claim(count)?;
        Ok(Elements::free(access, self.limits))
    }
}

/// What a value turns out to be where the bytes decide.
macro_rules! pass {
    ($($method:ident: $type:ty;)*) => {$(
        fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.visitor.$method(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Within<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    pass! {
        visit_bool: bool; visit_char: char; visit_f32: f32; visit_f64: f64;
        visit_i8: i8; visit_i16: i16; visit_i32: i32; visit_i64: i64; visit_i128: i128;
        visit_u8: u8; visit_u16: u16; visit_u32: u32; visit_u64: u64; visit_u128: u128;
        visit_str: &str; visit_borrowed_str: &'de str; visit_string: String;
        visit_bytes: &[u8]; visit_borrowed_bytes: &'de [u8]; visit_byte_buf: Vec<u8>;
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.visitor.visit_unit()
    }

    #[inline]
    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.visitor.visit_none()
    }

    #[inline]
    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.visitor.visit_some(Bounded::new(inner, self.limits))
    }

    #[inline]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        let inner = Bounded::new(inner, self.limits);
        self.visitor.visit_newtype_struct(inner)
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let hint = access.size_hint();
        let elements = self.elements(access, hint)?;
        self.visitor.visit_seq(elements)
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let hint = access.size_hint();
        let elements = self.elements(access, hint)?;
        self.visitor.visit_map(elements)
    }

    #[inline]
    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_enum(Seed::new(access, self.limits))
    }
}
