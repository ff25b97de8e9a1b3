//! Writing a key's text.

use std::fmt::{self, Write as _};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Every byte outside `A-Za-z0-9._-`.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'_').remove(b'-');

/// Collects a key's text; [`Key::write`](crate::Key::write) says what is written how.
#[derive(Debug, Default)]
pub struct KeyWriter(String);

impl KeyWriter {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn finish(self) -> String {
        self.0
    }

    /// An integer or another word of the characters that need no escape.
    pub(super) fn word(&mut self, word: impl fmt::Display) {
        write!(self.0, "{word}").expect("a String takes every text");
    }

    /// A text, escaped; `''` if it is empty.
    pub fn text(&mut self, text: &str) {
        if text.is_empty() {
            return self.empty();
        }
        self.0.extend(utf8_percent_encode(text, ESCAPED));
    }

    /// The part that holds nothing: `''`.
    pub fn empty(&mut self) {
        self.0.push_str("''");
    }

    /// What stands between two parts.
    pub fn comma(&mut self) {
        self.0.push(',');
    }

    pub(super) fn sequence<T>(&mut self, parts: &[T], write: impl Fn(&T, &mut Self)) {
        self.0.push('[');
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                self.comma();
            }
            write(part, self);
        }
        self.0.push(']');
    }

    pub(super) fn none(&mut self) {
        self.0.push('~');
    }

    /// A part that could be mistaken for `None` is marked by one more `~`.
    pub(super) fn some(&mut self, write: impl FnOnce(&mut Self)) {
        let start = self.0.len();
        write(self);
        if self.0[start..].starts_with('~') {
            self.0.insert(start, '~');
        }
    }
}
