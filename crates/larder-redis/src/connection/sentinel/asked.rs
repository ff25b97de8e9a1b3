//! Asking one sentinel, and one server what it is.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use crate::args;
use crate::connection::dial::Dial;
use crate::connection::listening::Listening;
use crate::connection::session::Session;
use crate::connection::target::Address;
use crate::replies::array;
use crate::wire::{Reply, Request};
use crate::{ConnectError, ConnectErrorKind};

/// A sentinel, and the service that it is asked about.
pub(super) struct Asked {
    at: Address,
    dial: Arc<dyn Dial>,
    service: Bytes,
    /// Kept from one question to the next: each heartbeat asks one.
    session: Mutex<Option<Arc<dyn Session>>>,
}

impl Asked {
    pub(super) fn new(at: Address, dial: Arc<dyn Dial>, service: Bytes) -> Self {
        Self {
            at,
            dial,
            service,
            session: Mutex::new(None),
        }
    }

    /// Where the sentinel says that the master is.
    ///
    /// # Errors
    /// It cannot be reached, knows no such service, or answers something else. It is dialled anew
    /// the next time.
    pub(super) async fn master(&self) -> Result<Address, ConnectError> {
        let kept = self.lock().take();
        let session = match kept {
            Some(session) => session,
            None => self.dial.dial().await?,
        };
        let words = vec![args::word("GET-MASTER-ADDR-BY-NAME"), self.service.clone()];
        let address = match ask(&*session, Request::on_master(0, "SENTINEL", words)).await? {
            Reply::Nil => return Err(ConnectErrorKind::NoMaster.into()),
            Reply::Error { code, .. } => return Err(ConnectError::refused(&code)),
            reply => named(reply, &self.at).ok_or(ConnectErrorKind::Garbage)?,
        };
        *self.lock() = Some(session);
        Ok(address)
    }

    /// What the sentinel tells of masters that are replaced.
    pub(super) async fn listen(&self) -> Result<Listening, ConnectError> {
        let listening = self.dial.listen().await?;
        let changes = ["+promoted-slave", "+switch-master"].map(args::word);
        listening.control.subscribe(&changes).await?;
        Ok(listening)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<dyn Session>>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a server says that it is a master.
///
/// # Errors
/// It says that it is none, or does not answer. One whose user may not ask is believed to be one: what
/// it does not take it refuses later.
pub(super) async fn leads(session: &dyn Session) -> Result<(), ConnectError> {
    let role = match ask(session, Request::on_master(0, "ROLE", vec![])).await? {
        Reply::Error { code, .. } if code == "NOPERM" => return Ok(()),
        Reply::Error { code, .. } => return Err(ConnectError::refused(&code)),
        role => role,
    };
    let words = array(role).map_err(|_| ConnectErrorKind::Garbage)?;
    match words.first() {
        Some(Reply::Bytes(role)) if &role[..] == b"master" => Ok(()),
        Some(Reply::Bytes(_)) => Err(ConnectErrorKind::ReadOnly.into()),
        _ => Err(ConnectErrorKind::Garbage.into()),
    }
}

async fn ask(session: &dyn Session, request: Request) -> Result<Reply, ConnectError> {
    let replies = session.send(&[request]).await;
    let mut replies = replies.map_err(|_| ConnectErrorKind::Lost)?;
    replies
        .pop()
        .ok_or_else(|| ConnectErrorKind::Garbage.into())
}

/// An address, as a sentinel gives it; encrypted if the sentinel's is.
fn named(reply: Reply, asked: &Address) -> Option<Address> {
    let [host, port] = <[Reply; 2]>::try_from(array(reply).ok()?).ok()?;
    let text = |reply| match reply {
        Reply::Bytes(bytes) => String::from_utf8(bytes.into()).ok(),
        _ => None,
    };
    let (host, port) = (text(host)?, text(port)?.parse().ok()?);
    Some(match asked {
        Address::Tls { .. } => Address::Tls { host, port },
        Address::Tcp { .. } | Address::Unix(_) => Address::Tcp { host, port },
    })
}
