//! Reading a key's text.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::KeyError;

/// A key's text and how far it has been read.
#[derive(Debug)]
pub struct KeyReader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> KeyReader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The error for `expected` missing at the reader's place.
    #[must_use]
    pub fn error(&self, expected: &'static str) -> KeyError {
        KeyError::new(self.at, expected)
    }

    pub(super) fn end(&self) -> Result<(), KeyError> {
        if self.rest().is_empty() {
            Ok(())
        } else {
            Err(self.error("the end of the key"))
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips `mark` if it stands here.
    pub(super) fn skip(&mut self, mark: &str) -> bool {
        let here = self.rest().starts_with(mark);
        if here {
            self.at += mark.len();
        }
        here
    }

    pub(super) fn starts_with(&self, mark: &str) -> bool {
        self.rest().starts_with(mark)
    }

    /// What stands between two parts.
    ///
    /// # Errors
    /// Something else stands here.
    pub fn comma(&mut self) -> Result<(), KeyError> {
        if self.skip(",") {
            Ok(())
        } else {
            Err(self.error("`,` and one more part"))
        }
    }

    /// The part that holds nothing.
    ///
    /// # Errors
    /// Something else stands here.
    pub fn empty(&mut self) -> Result<(), KeyError> {
        if self.skip("''") {
            Ok(())
        } else {
            Err(self.error("`''`"))
        }
    }

    /// The characters up to the next mark.
    pub(super) fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find([',', '[', ']', '~', '\'']).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// A text, with its escapes resolved.
    ///
    /// # Errors
    /// No text stands here, or its escapes give no UTF-8.
    pub fn text(&mut self) -> Result<Cow<'a, str>, KeyError> {
        if self.skip("''") {
            return Ok(Cow::Borrowed(""));
        }
        let start = self.at;
        let word = self.word();
        if word.is_empty() {
            return Err(self.error("a text (an empty one is `''`)"));
        }
        let decoded = percent_decode_str(word).decode_utf8();
        decoded.map_err(|_| KeyError::new(start, "escapes that give UTF-8"))
    }

    pub(super) fn sequence<T>(
        &mut self,
        read: impl Fn(&mut Self) -> Result<T, KeyError>,
    ) -> Result<Vec<T>, KeyError> {
        if !self.skip("[") {
            return Err(self.error("`[`"));
        }
        let mut parts = Vec::new();
        while !self.skip("]") {
            if !parts.is_empty() {
                self.comma()?;
            }
            parts.push(read(self)?);
        }
        Ok(parts)
    }
}
