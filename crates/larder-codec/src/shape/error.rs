//! Why a type could not be traced.

use std::fmt;

/// Why a type could not be traced to its end. The way out is a schema with a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapeError {
    path: String,
    kind: ShapeErrorKind,
    text: String,
}

/// What kept a type from being traced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShapeErrorKind {
    /// It asks the bytes what they are: an untagged or internally tagged enum, `flatten`, a value of
    /// any type. A compact codec cannot carry it either.
    SelfDescribing,
    /// It validates what it reads, and accepted none of the samples.
    Refused,
    /// It has more names than fields or variants (an `alias`), or does not read what it asked for.
    Unread,
    /// It reads different things in the same place, depending on what it read before.
    Ambiguous,
    /// A variant that stands for all unknown ones (`other`).
    Open,
    /// Its codec does not ask for what it looks like.
    Untraced,
    /// It is nested too deep, or in itself without a name on the way.
    TooDeep,
}

impl ShapeError {
    pub(super) fn new(path: String, kind: ShapeErrorKind, text: String) -> Self {
        Self { path, kind, text }
    }

    /// The error of a codec that traces nothing.
    pub(crate) fn untraced<V>() -> Self {
        let path = std::any::type_name::<V>().to_owned();
        Self::new(path, ShapeErrorKind::Untraced, String::new())
    }

    /// The place in the type: `Deal.lines[].code`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is in the way there.
    #[must_use]
    pub const fn kind(&self) -> ShapeErrorKind {
        self.kind
    }
}

impl ShapeErrorKind {
    const fn text(self) -> &'static str {
        match self {
            Self::SelfDescribing => "asks the bytes what they are, which compact codecs do not say",
            Self::Refused => "accepts none of the sample values",
            Self::Unread => "has an alias, or does not read all that it asks for",
            Self::Ambiguous => "reads different things from time to time",
            Self::Open => "has a variant for all unknown ones",
            Self::Untraced => "is written by a codec that does not tell its shape",
            Self::TooDeep => "is nested too deep",
        }
    }
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, kind, text } = self;
        write!(
            f,
            "the shape of `{path}` cannot be traced: it {}",
            kind.text()
        )?;
        if !text.is_empty() {
            write!(f, " ({text})")?;
        }
        f.write_str("; give the cache `schema = N`, and another N whenever the type changes")
    }
}

impl std::error::Error for ShapeError {}
