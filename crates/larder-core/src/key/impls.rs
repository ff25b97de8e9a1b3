//! Keys of the standard library's types.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Key, KeyError, KeyReader, KeyWriter};

macro_rules! words {
    ($($type:ty: $expected:literal),* $(,)?) => {$(
        impl Key for $type {
            fn write(&self, out: &mut KeyWriter) {
                out.word(self);
            }

            fn read(text: &mut KeyReader<'_>) -> Result<Self, KeyError> {
                let missing = text.error($expected);
                text.word().parse().map_err(|_| missing)
            }
        }
    )*};
}

words! {
    u8: "an integer of 8 bits", i8: "an integer of 8 bits",
    u16: "an integer of 16 bits", i16: "an integer of 16 bits",
    u32: "an integer of 32 bits", i32: "an integer of 32 bits",
    u64: "an integer of 64 bits", i64: "an integer of 64 bits",
    u128: "an integer of 128 bits", i128: "an integer of 128 bits",
    usize: "an integer", isize: "an integer",
    bool: "`true` or `false`",
}

macro_rules! texts {
    ($($type:ty),*) => {$(
        impl Key for $type {
            fn write(&self, out: &mut KeyWriter) {
                out.text(self);
            }

            fn read(text: &mut KeyReader<'_>) -> Result<Self, KeyError> {
                Ok(text.text()?.into_owned().into())
            }
        }
    )*};
}

texts!(String, Arc<str>, Box<str>, Cow<'static, str>);

impl Key for char {
    fn write(&self, out: &mut KeyWriter) {
        out.text(self.encode_utf8(&mut [0; 4]));
    }

    fn read(text: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        let missing = text.error("one character");
        text.text()?.parse().map_err(|_| missing)
    }
}

impl Key for () {
    fn write(&self, out: &mut KeyWriter) {
        out.empty();
    }

    fn read(text: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        text.empty()
    }
}

impl<K: Key> Key for Option<K> {
    fn write(&self, out: &mut KeyWriter) {
        match self {
            None => out.none(),
            Some(key) => out.some(|out| key.write(out)),
        }
    }

    fn read(text: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        if text.starts_with("~~") || !text.starts_with("~") {
            text.skip_mark();
            return K::read(text).map(Some);
        }
        text.skip("~");
        Ok(None)
    }
}

impl KeyReader<'_> {
    /// Skips the `~` that tells `Some(None)` from `None`.
    fn skip_mark(&mut self) {
        if self.starts_with("~~") {
            self.skip("~");
        }
    }
}

impl<K: Key> Key for Vec<K> {
    fn write(&self, out: &mut KeyWriter) {
        out.sequence(self, K::write);
    }

    fn read(text: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        text.sequence(K::read)
    }
}

impl<K: Key, const N: usize> Key for [K; N] {
    fn write(&self, out: &mut KeyWriter) {
        out.sequence(self, K::write);
    }

    fn read(text: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        let missing = text.error("a sequence of the array's length");
        text.sequence(K::read)?.try_into().map_err(|_| missing)
    }
}

macro_rules! tuples {
    ($(($first:ident $($rest:ident)*))*) => {$(
        impl<$first: Key, $($rest: Key),*> Key for ($first, $($rest,)*) {
            #[expect(non_snake_case, reason = "a part is named as its type")]
            fn write(&self, out: &mut KeyWriter) {
                let ($first, $($rest,)*) = self;
                $first.write(out);
                $(out.comma(); $rest.write(out);)*
            }

            fn read(text: &mut KeyReader<'_>) -> Result<Self, KeyError> {
                Ok(($first::read(text)?, $({ text.comma()?; $rest::read(text)? },)*))
            }
        }
    )*};
}

tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }
