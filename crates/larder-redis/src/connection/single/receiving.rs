//! What comes from a server.

use std::io;
use std::vec::Drain;

use futures_lite::AsyncReadExt;
use futures_lite::future::yield_now;

use super::answers::take;
use crate::ConnectErrorKind;
use crate::connection::stream::{Incoming, Stream};
use crate::wire::Reply;

/// Gives what comes to who waits for it, until the connection ends; says why it did.
pub(super) async fn receive(
    mut from: Stream<Incoming>,
    mut give: impl FnMut(Drain<'_, Reply>) -> Result<(), ConnectErrorKind>,
) -> ConnectErrorKind {
    let ledger = from.ledger();
    let (mut chunk, mut bytes, mut answers) = (vec![0; CHUNK], Vec::new(), Vec::new());
    loop {
        // Others have their turn, however much comes.
        for _ in 0..TURNS {
            let before = ledger.read().answers;
            match from.read(&mut chunk).await {
                Ok(0) => return ConnectErrorKind::Lost,
                Ok(count) => bytes.extend_from_slice(&chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    return ConnectErrorKind::Garbage;
                }
                Err(_) => return ConnectErrorKind::Lost,
            }
            let mut rest = &bytes[..];
            for _ in before..ledger.read().answers {
                let Some(answer) = take(&mut rest) else {
                    ledger.garbage();
                    return ConnectErrorKind::Garbage;
                };
                answers.push(answer);
            }
            let taken = bytes.len() - rest.len();
            bytes.drain(..taken);
            if bytes.is_empty() && bytes.capacity() > ROOM {
                bytes = Vec::new();
            }
            if let Err(why) = give(answers.drain(..)) {
                if why == ConnectErrorKind::Garbage {
                    ledger.garbage();
                }
                return why;
            }
        }
        yield_now().await;
    }
}

/// Bytes that are read at once at most.
const CHUNK: usize = 64 << 10;
const TURNS: usize = 16;

/// More room than this is given back when it is not used any more.
const ROOM: usize = 256 << 10;
