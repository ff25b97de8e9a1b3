//! Where a setting or a deal came from, and what is wrong with it.

use std::fmt;
use std::path::PathBuf;

/// Where a value was given.
#[derive(Debug, Clone)]
pub(crate) enum Origin {
    Default,
    File { path: PathBuf, line: usize },
    Variable(String),
    Flag(String),
    CommandLine,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("the default"),
            Self::File { path, line } => write!(f, "{path:?} line {line}"),
            Self::Variable(name) => write!(f, "variable {name}"),
            Self::Flag(name) => write!(f, "flag {name}"),
            Self::CommandLine => f.write_str("the command line"),
        }
    }
}

/// A setting, or a field of a deal, that cannot be used. Its text is one line: field, source, reason.
#[derive(Debug)]
pub(crate) struct Wrong {
    field: String,
    origin: Origin,
    reason: String,
}

impl Wrong {
    pub(crate) fn new(field: impl Into<String>, origin: Origin, reason: impl fmt::Display) -> Self {
        Self {
            field: field.into(),
            origin,
            reason: reason.to_string(),
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = format!("{} ({}): {}", self.field, self.origin, self.reason);
        // What the user typed may hold anything, and reasons of others may have several lines.
        f.write_str(&line.replace(|c: char| c.is_control(), " "))
    }
}
