//! The laws of every key: its text is its own, and comes back.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use larder_core::Key;
use proptest::prelude::*;

use crate::nasty::{key_text, text};

/// The text of either key gives that key back, and the texts are equal only if the keys are.
fn keep_the_laws<K: Key + Debug>(a: &K, b: &K) -> Result<(), TestCaseError> {
    for key in [a, b] {
        let text = key.text();
        prop_assert!(text.bytes().all(is_plain), "{text:?} is fit for a path");
        prop_assert_eq!(
            &K::parse(&text).map_err(|error| error.to_string()),
            &Ok(key.clone())
        );
    }
    prop_assert_eq!(a == b, a.text() == b.text());
    Ok(())
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".-_%,~'[]".contains(&byte)
}

/// What parses is spelled as the key itself would be; all else is refused.
fn refuses_other_spellings<K: Key>(text: &str) -> Result<(), TestCaseError> {
    match K::parse(text) {
        Ok(key) => prop_assert_eq!(key.text(), text),
        Err(error) => prop_assert!(error.at() <= text.len()),
    }
    Ok(())
}

macro_rules! laws {
    ($($name:ident: $type:ty = $strategy:expr;)*) => {$(
        mod $name {
            use super::*;

            proptest! {
                #[test]
                fn keys_have_texts_of_their_own(a in $strategy, b in $strategy) {
                    keep_the_laws::<$type>(&a, &b)?;
                }

                #[test]
                fn other_spellings_are_refused(text in key_text()) {
                    refuses_other_spellings::<$type>(&text)?;
                }
            }
        }
    )*};
}

type Pair = (String, String);
type Eight = (u8, i16, bool, char, String, Option<u8>, (), Vec<String>);

laws! {
    unsigned: (u8, u16, u32, u64, u128, usize) = any::<(u8, u16, u32, u64, u128, usize)>();
    signed: (i8, i16, i32, i64, i128, isize) = any::<(i8, i16, i32, i64, i128, isize)>();
    boolean: bool = any::<bool>();
    character: char = prop_oneof![any::<char>(), prop::sample::select(vec![',', '~', '%', '\0'])];
    unit: () = Just(());
    string: String = text();
    shared_text: Arc<str> = text().prop_map(Arc::from);
    boxed_text: Box<str> = text().prop_map(Box::from);
    cow_text: Cow<'static, str> = text().prop_map(Cow::from);
    pair: Pair = (text(), text());
    one: (String,) = (text(),);
    eight: Eight = (
        any::<(u8, i16, bool, char)>(), text(), any::<Option<u8>>(), texts(),
    ).prop_map(|((a, b, c, d), text, maybe, texts)| (a, b, c, d, text, maybe, (), texts));
    nested_pair: (Pair, Pair) = ((text(), text()), (text(), text()));
    maybe: Option<String> = prop::option::of(text());
    maybe_maybe: Option<Option<Option<u8>>> = any::<Option<Option<Option<u8>>>>();
    maybe_pair: Option<(Option<u8>, String)> =
        prop::option::of((any::<Option<u8>>(), text()));
    maybes_side_by_side: (Option<Option<u8>>, Option<(Option<u8>, u8)>, Option<u8>) =
        any::<(Option<Option<u8>>, Option<(Option<u8>, u8)>, Option<u8>)>();
    sequence: Vec<String> = texts();
    sequence_of_sequences: Vec<Vec<String>> = prop::collection::vec(texts(), 0..4);
    sequence_of_maybes: Vec<Option<Option<u8>>> = any::<Vec<Option<Option<u8>>>>();
    sequence_of_nothing: Vec<()> = prop::collection::vec(Just(()), 0..4);
    sequence_of_pairs: Vec<(String, u8)> = prop::collection::vec((text(), any::<u8>()), 0..4);
    maybe_sequence: (Option<Vec<String>>, Option<Vec<Option<u8>>>) =
        (prop::option::of(texts()), any::<Option<Vec<Option<u8>>>>());
    array: [Option<u8>; 3] = any::<[Option<u8>; 3]>();
    array_of_nothing: [u8; 0] = Just([]);
    bytes: Vec<u8> = any::<Vec<u8>>();
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), 0..4)
}
