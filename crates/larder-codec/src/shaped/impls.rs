//! Shapes of the standard library's types.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::{ShapeText, Shaped};

macro_rules! words {
    ($($type:ty: $word:literal),* $(,)?) => {$(
        impl Shaped for $type {
            fn shape(out: &mut ShapeText) {
                out.word($word);
            }
        }
    )*};
}

words! {
    bool: "bool", char: "char", (): "unit",
    u8: "u8", u16: "u16", u32: "u32", u64: "u64", u128: "u128", usize: "usize",
    i8: "i8", i16: "i16", i32: "i32", i64: "i64", i128: "i128", isize: "isize",
    f32: "f32", f64: "f64",
    String: "str", Box<str>: "str", Arc<str>: "str", Cow<'static, str>: "str",
    Duration: "duration", Bytes: "bytes",
}

macro_rules! around {
    ($(<$($part:ident),*> $type:ty: $word:literal;)*) => {$(
        impl<$($part: Shaped),*> Shaped for $type {
            fn shape(out: &mut ShapeText) {
                out.word(concat!($word, "("));
                $(out.part::<$part>();)*
                out.word(")");
            }
        }
    )*};
}

around! {
    <T> Option<T>: "option";
    <T> Vec<T>: "seq";
    <T> VecDeque<T>: "seq";
    <T> Box<[T]>: "seq";
    <T> Arc<[T]>: "seq";
    <T> BTreeSet<T>: "seq";
    <K, V> BTreeMap<K, V>: "map";
}

impl<T: Shaped, S: 'static> Shaped for HashSet<T, S> {
    fn shape(out: &mut ShapeText) {
        out.part::<Vec<T>>();
    }
}

impl<K: Shaped, V: Shaped, S: 'static> Shaped for HashMap<K, V, S> {
    fn shape(out: &mut ShapeText) {
        out.part::<BTreeMap<K, V>>();
    }
}

impl<T: Shaped> Shaped for Box<T> {
    fn shape(out: &mut ShapeText) {
        out.part::<T>();
    }
}

impl<T: Shaped> Shaped for Arc<T> {
    fn shape(out: &mut ShapeText) {
        out.part::<T>();
    }
}

impl<T: Shaped, const N: usize> Shaped for [T; N] {
    fn shape(out: &mut ShapeText) {
        out.word(&format!("array({N}x"));
        out.part::<T>();
        out.word(")");
    }
}

macro_rules! tuples {
    ($(($($part:ident)*))*) => {$(
        impl<$($part: Shaped),*> Shaped for ($($part,)*) {
            fn shape(out: &mut ShapeText) {
                out.word("(");
                $(out.part::<$part>(); out.word(",");)*
                out.word(")");
            }
        }
    )*};
}

tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }
