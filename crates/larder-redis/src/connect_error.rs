//! Why there is no connection.

use std::error::Error;
use std::fmt;

/// Why a connection could not be made, or was given up.
///
/// It says what kind of failure it is and, where a server said no, the code of its refusal; nothing of
/// what was connected to or sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectError {
    kind: ConnectErrorKind,
    code: Option<String>,
}

/// Kinds of failures of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ConnectErrorKind {
    /// A setting is wrong.
    Setting,
    /// Nothing listens there.
    Refused,
    /// There is no way to it: its name is unknown, its network out of reach, its socket missing.
    Unreachable,
    /// It broke.
    Lost,
    /// No answer came in time.
    Silent,
    /// The server wants other credentials, or permits too little.
    Denied,
    /// The server is there and cannot serve: it loads its data, or has lost its master.
    Unavailable,
    /// The server takes no writes: it is no master, or no longer.
    ReadOnly,
    /// None of the sentinels knows a master.
    NoMaster,
    /// Answers are not those of a Redis server, too large, or out of step with the requests.
    Garbage,
    /// The encryption of the connection failed.
    Tls,
    /// Anything else.
    Other,
}

impl ConnectError {
    /// An error of a kind.
    #[must_use]
    pub const fn new(kind: ConnectErrorKind) -> Self {
        Self { kind, code: None }
    }

    /// What a server's refusal is to a connection. The code is the first word of what it says.
    #[must_use]
    pub fn refused(code: &str) -> Self {
        let kind = match code {
            "WRONGPASS" | "NOAUTH" | "NOPERM" | "DENIED" => ConnectErrorKind::Denied,
            "LOADING" | "MASTERDOWN" | "CLUSTERDOWN" => ConnectErrorKind::Unavailable,
            "READONLY" => ConnectErrorKind::ReadOnly,
            _ => ConnectErrorKind::Other,
        };
        let code = Some(code.to_owned());
        Self { kind, code }
    }

    /// A connection could not even be tried.
    #[cfg(feature = "client")]
    pub(crate) fn setting(error: &crate::SettingError) -> Self {
        let kind = ConnectErrorKind::Setting;
        let code = Some(error.setting().to_owned());
        Self { kind, code }
    }

    /// What kind of failure it is.
    #[must_use]
    pub const fn kind(&self) -> ConnectErrorKind {
        self.kind
    }

    /// The first word of the server's refusal, if it was that; of a wrong setting its name.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }
}

impl ConnectErrorKind {
    /// Its name in logs and metrics: one of a fixed set.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Setting => "setting",
            Self::Refused => "refused",
            Self::Unreachable => "unreachable",
            Self::Lost => "lost",
            Self::Silent => "silent",
            Self::Denied => "denied",
            Self::Unavailable => "unavailable",
            Self::ReadOnly => "read-only",
            Self::NoMaster => "no-master",
            Self::Garbage => "garbage",
            Self::Tls => "tls",
            Self::Other => "other",
        }
    }

    const fn sentence(self) -> &'static str {
        match self {
            Self::Setting => "a setting is wrong",
            Self::Refused => "connection refused",
            Self::Unreachable => "cannot be reached",
            Self::Lost => "connection lost",
            Self::Silent => "no answer in time",
            Self::Denied => "access denied",
            Self::Unavailable => "the server cannot serve now",
            Self::ReadOnly => "the server takes no writes",
            Self::NoMaster => "no sentinel knows a master",
            Self::Garbage => "the answers are not those of the requests",
            Self::Tls => "the encryption failed",
            Self::Other => "failed",
        }
    }
}

impl From<ConnectErrorKind> for ConnectError {
    fn from(kind: ConnectErrorKind) -> Self {
        Self::new(kind)
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.sentence())?;
        match &self.code {
            Some(code) => write!(f, " ({code})"),
            None => Ok(()),
        }
    }
}

impl Error for ConnectError {}
