//! What answers say of the server.

use larder_core::far::FarError;

use crate::connection::link::Link;
use crate::wire::Reply;
use crate::{ConnectError, ConnectErrorKind};

/// Passes replies on, unless they say that this session serves nobody: then it is given up.
///
/// Refusals are told apart by their codes. What concerns one request (`OOM`, `NOPERM`, `WRONGTYPE`)
/// is its own affair.
pub(super) fn heed(link: &Link, replies: Vec<Reply>) -> Result<Vec<Reply>, FarError> {
    let mut useless = Vec::new();
    for reply in &replies {
        let Reply::Error { code, text } = reply else {
            continue;
        };
        let why = ConnectError::refused(code);
        match why.kind() {
            ConnectErrorKind::ReadOnly => link.takes_no_writes(),
            // Before 7.0 what a script meets is part of a text.
            ConnectErrorKind::Other if text.contains("-READONLY ") => link.takes_no_writes(),
            // A slot without a master: others are served.
            ConnectErrorKind::Unavailable if code == "CLUSTERDOWN" => {}
            ConnectErrorKind::Unavailable => useless.push(why),
            ConnectErrorKind::Denied if code == "NOAUTH" => useless.push(why),
            _ => {}
        }
    }
    let all = useless.len() == replies.len();
    let Some(why) = useless.pop() else {
        return Ok(replies);
    };
    link.doubt(why.clone());
    // Such an answer says that nothing of its request has run.
    Err(if all {
        FarError::not_sent(why)
    } else {
        FarError::unknown(why)
    })
}
