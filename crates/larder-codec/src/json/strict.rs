//! A serializer that writes nothing which would be read as another value.

use std::cell::Cell;
use std::fmt::Display;

use serde::Serialize;
use serde::ser::{
    Error, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// A serializer around one of JSON, where floats that are no numbers are `null`, and so is what a
/// `Some` of nothing holds.
pub(super) struct Strict<'l, S> {
    inner: S,
    /// What is written now is what a `Some` holds.
    some: bool,
    /// Whether something was refused. The format's errors have no room for it.
    lossy: &'l Cell<bool>,
}

/// A value that is written by a [`Strict`].
struct Part<'l, 'v, T: ?Sized> {
    value: &'v T,
    some: bool,
    lossy: &'l Cell<bool>,
}

impl<'l, S> Strict<'l, S> {
    pub(super) const fn new(inner: S, lossy: &'l Cell<bool>) -> Self {
        Self {
            inner,
            some: false,
            lossy,
        }
    }

    const fn part<'v, T: ?Sized>(&self, value: &'v T) -> Part<'l, 'v, T> {
        Part {
            value,
            some: false,
            lossy: self.lossy,
        }
    }

    fn kept<E: Error>(&self, kept: bool) -> Result<(), E> {
        if kept {
            return Ok(());
        }
        self.lossy.set(true);
        Err(E::custom(crate::EncodeError::Lossy))
    }
}

impl<T: Serialize + ?Sized> Serialize for Part<'_, '_, T> {
    fn serialize<S: Serializer>(&self, inner: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(Strict {
            inner,
            some: self.some,
            lossy: self.lossy,
        })
    }
}

macro_rules! pass {
    ($($method:ident($($argument:ident: $type:ty),*))*) => {$(
        fn $method(self, $($argument: $type),*) -> Result<S::Ok, S::Error> {
            self.inner.$method($($argument),*)
        }
    )*};
}

macro_rules! floats {
    ($($method:ident: $type:ty;)*) => {$(
        fn $method(self, value: $type) -> Result<S::Ok, S::Error> {
            self.kept(value.is_finite())?;
            self.inner.$method(value)
        }
    )*};
}

macro_rules! nothings {
    ($($method:ident($($argument:ident: $type:ty),*))*) => {$(
        fn $method(self, $($argument: $type),*) -> Result<S::Ok, S::Error> {
            self.kept(!self.some)?;
            self.inner.$method($($argument),*)
        }
    )*};
}

macro_rules! begin {
    ($($method:ident($($argument:ident: $type:ty),*) -> $parts:ident;)*) => {$(
        fn $method(self, $($argument: $type),*) -> Result<Self::$parts, S::Error> {
            let inner = self.inner.$method($($argument),*)?;
            Ok(Strict::new(inner, self.lossy))
        }
    )*};
}

impl<'l, S: Serializer> Serializer for Strict<'l, S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Strict<'l, S::SerializeSeq>;
    type SerializeTuple = Strict<'l, S::SerializeTuple>;
    type SerializeTupleStruct = Strict<'l, S::SerializeTupleStruct>;
    type SerializeTupleVariant = Strict<'l, S::SerializeTupleVariant>;
    type SerializeMap = Strict<'l, S::SerializeMap>;
    type SerializeStruct = Strict<'l, S::SerializeStruct>;
    type SerializeStructVariant = Strict<'l, S::SerializeStructVariant>;

    pass! {
        serialize_bool(value: bool) serialize_char(value: char)
        serialize_i8(value: i8) serialize_i16(value: i16) serialize_i32(value: i32)
        serialize_i64(value: i64) serialize_i128(value: i128)
        serialize_u8(value: u8) serialize_u16(value: u16) serialize_u32(value: u32)
        serialize_u64(value: u64) serialize_u128(value: u128)
        serialize_str(value: &str) serialize_bytes(value: &[u8])
        serialize_unit_variant(name: &'static str, index: u32, variant: &'static str)
    }

    floats! { serialize_f32: f32; serialize_f64: f64; }

    nothings! {
        serialize_none() serialize_unit() serialize_unit_struct(name: &'static str)
    }

    begin! {
        serialize_seq(len: Option<usize>) -> SerializeSeq;
        serialize_tuple(len: usize) -> SerializeTuple;
        serialize_tuple_struct(name: &'static str, len: usize) -> SerializeTupleStruct;
        serialize_tuple_variant(name: &'static str, index: u32, variant: &'static str, len: usize)
            -> SerializeTupleVariant;
        serialize_map(len: Option<usize>) -> SerializeMap;
        serialize_struct(name: &'static str, len: usize) -> SerializeStruct;
        serialize_struct_variant(name: &'static str, index: u32, variant: &'static str, len: usize)
            -> SerializeStructVariant;
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        let part = Part {
            some: true,
            ..self.part(value)
        };
        self.inner.serialize_some(&part)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        // JSON shows nothing of it, so what it holds stands where it stood.
        let part = Part {
            some: self.some,
            ..self.part(value)
        };
        self.inner.serialize_newtype_struct(name, &part)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let part = self.part(value);
        self.inner
            .serialize_newtype_variant(name, index, variant, &part)
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.inner.collect_str(value)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! parts {
    ($($parts:ident { $($method:ident($($name:ident)?);)* })*) => {$(
        impl<S: $parts> $parts for Strict<'_, S> {
            type Ok = S::Ok;
            type Error = S::Error;

            $(fn $method<T: Serialize + ?Sized>(
                &mut self,
                $($name: &'static str,)?
                value: &T,
            ) -> Result<(), S::Error> {
                let part = self.part(value);
                self.inner.$method($($name,)? &part)
            })*

            fn end(self) -> Result<S::Ok, S::Error> {
                self.inner.end()
            }
        }
    )*};
}

parts! {
    SerializeSeq { serialize_element(); }
    SerializeTuple { serialize_element(); }
    SerializeTupleStruct { serialize_field(); }
    SerializeTupleVariant { serialize_field(); }
    SerializeMap { serialize_key(); serialize_value(); }
    SerializeStruct { serialize_field(name); }
    SerializeStructVariant { serialize_field(name); }
}
