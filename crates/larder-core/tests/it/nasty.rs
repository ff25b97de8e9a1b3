//! Texts made of what a key's text gives a meaning to.

use proptest::prelude::*;

/// What is likely to be mistaken for something else: marks, escapes, white space, one character in
/// two spellings.
const PIECES: [&str; 24] = [
    "", "a", "b", "A", "7", "-", ",", "~", "'", "''", "[", "]", "%", "%2C", "%", "é", "e\u{301}",
    "\0", "\r\n", " ", "\u{fffd}", "한", "🦀", "null",
];

/// Short texts of such pieces; two of them are often alike.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(&PIECES[..]), 0..4);
    prop_oneof![4 => pieces.prop_map(|pieces| pieces.concat()), 1 => any::<String>()]
}

/// Texts that look like keys and seldom are.
pub(crate) fn key_text() -> impl Strategy<Value = String> {
    let marks = [
        "~", "~~", ",", "[", "]", "''", "%2C", "%zz", "%c3", "007", "7", "a", "+1", "-0",
    ];
    let marks = prop::collection::vec(prop::sample::select(marks.to_vec()), 0..8);
    prop_oneof![4 => marks.prop_map(|marks| marks.concat()), 1 => text()]
}
