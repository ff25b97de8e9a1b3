//! What a server's answer can be instead of what was asked for.

use std::error::Error;
use std::fmt;

use larder_core::far::FarError;

/// A server has refused a request.
///
/// Its text is cut before whatever it quotes: servers quote the arguments of what they do not know,
/// and those are keys and values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    code: String,
    text: String,
}

impl Refusal {
    pub(crate) fn new(code: String, text: &str) -> Self {
        let plain = text.split(['\'', '"', '`']).next().unwrap_or_default();
        let text = plain.trim_end().to_owned();
        Self { code, text }
    }

    /// Unknown, because a script may have changed something before it was refused something else.
    pub(crate) fn far(self) -> FarError {
        FarError::unknown(self)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "refused by the server: {} {}", self.code, self.text)
    }
}

impl Error for Refusal {}

/// An answer is of a kind that its request never has: answers may belong to other requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutOfStep;

impl fmt::Display for OutOfStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the server's answers do not fit the requests")
    }
}

impl Error for OutOfStep {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_shows_nothing_that_a_server_quotes() {
        let text = "unknown command 'GETX', with args beginning with: 'secret' 'value'";
        let shown = Refusal::new("ERR".into(), text).far().to_string();
        assert!(shown.ends_with("ERR unknown command"), "{shown}");
    }
}
