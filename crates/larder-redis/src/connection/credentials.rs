//! Who connects.

use std::fmt;

/// A user and a password, shown to nobody.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Credentials {
    /// The server's default user, if there is none.
    pub(super) user: Option<String>,
    pub(super) password: Option<String>,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let some = self.user.is_some() || self.password.is_some();
        f.write_str(if some { "redacted" } else { "none" })
    }
}
