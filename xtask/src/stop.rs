//! Why a command ended without success.

use std::fmt;
use std::process::ExitCode;

/// Why a command ended without success; its text is the last line on standard error.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The command line was wrong: code 2.
    Usage(String),
    /// Something that the command ran or checked failed: code 1.
    Failed(String),
}

impl Stop {
    /// The code for the shell.
    pub(crate) fn code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            Self::Failed(_) => ExitCode::FAILURE,
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(why) => write!(f, "xtask: {why}\nsee `cargo xtask help`"),
            Self::Failed(why) => write!(f, "xtask: {why}"),
        }
    }
}

impl From<lexopt::Error> for Stop {
    fn from(error: lexopt::Error) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}
