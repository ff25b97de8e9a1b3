//! Bytes to and from a server.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_lite::io::split;
use futures_lite::{AsyncRead, AsyncWrite};
use smol::net::TcpStream;

use super::frames::Frames;
use super::heard::Ledger;
use super::settings::Settings;
use super::target::Address;
use crate::{ConnectError, ConnectErrorKind};

/// A stream of any kind.
pub(super) trait Bytes: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Bytes for T {}

/// What comes from a server, and perhaps goes to it; answers are followed as they come in.
pub(super) struct Stream<B = Box<dyn Bytes>> {
    bytes: B,
    frames: Frames,
    ledger: Arc<Ledger>,
}

/// The half of a connection that reads.
pub(super) type Incoming = Box<dyn AsyncRead + Send + Unpin>;

/// The half that writes.
pub(super) type Outgoing = Box<dyn AsyncWrite + Send + Unpin>;

impl Stream {
    /// Connects.
    pub(super) async fn open(address: &Address, settings: &Settings) -> Result<Self, ConnectError> {
        Ok(Self::over(bytes(address, settings).await?, settings))
    }
}

impl Stream<Incoming> {
    /// Connects, and gives each half for itself.
    pub(super) async fn in_halves(
        address: &Address,
        settings: &Settings,
    ) -> Result<(Self, Outgoing), ConnectError> {
        let (from, to): (Incoming, Outgoing) = if let Address::Tcp { host, port } = address {
            // Its two directions share nothing.
            let stream = tcp(host, *port).await?;
            (Box::new(stream.clone()), Box::new(stream))
        } else {
            let (from, to) = split(bytes(address, settings).await?);
            (Box::new(from), Box::new(to))
        };
        Ok((Self::over(from, settings), to))
    }
}

impl<B> Stream<B> {
    fn over(bytes: B, settings: &Settings) -> Self {
        let frames = Frames::new(settings.bounds.reply);
        let ledger = Arc::default();
        Self {
            bytes,
            frames,
            ledger,
        }
    }

    /// What counts that which comes.
    pub(super) fn ledger(&self) -> Arc<Ledger> {
        Arc::clone(&self.ledger)
    }
}

async fn bytes(address: &Address, settings: &Settings) -> Result<Box<dyn Bytes>, ConnectError> {
    Ok(match address {
        Address::Tcp { host, port } => Box::new(tcp(host, *port).await?),
        Address::Tls { host, port } => encrypted(host, *port, settings).await?,
        Address::Unix(path) => unix(path).await?,
    })
}

/// Without a delay for small requests: they would wait for the answers to those before them.
async fn tcp(host: &str, port: u16) -> Result<TcpStream, ConnectError> {
    let stream = TcpStream::connect((host, port)).await.map_err(failed)?;
    stream.set_nodelay(true).map_err(failed)?;
    Ok(stream)
}

#[cfg(feature = "tls")]
async fn encrypted(
    host: &str,
    port: u16,
    settings: &Settings,
) -> Result<Box<dyn Bytes>, ConnectError> {
    let stream = tcp(host, port).await?;
    let stream = super::tls::encrypt(stream, host, settings.authority.as_deref());
    Ok(Box::new(stream.await?))
}

/// Settings that ask for it have been refused.
#[cfg(not(feature = "tls"))]
async fn encrypted(_: &str, _: u16, _: &Settings) -> Result<Box<dyn Bytes>, ConnectError> {
    Err(ConnectErrorKind::Tls.into())
}

#[cfg(unix)]
async fn unix(path: &std::path::Path) -> Result<Box<dyn Bytes>, ConnectError> {
    let stream = smol::net::unix::UnixStream::connect(path);
    Ok(Box::new(stream.await.map_err(failed)?))
}

#[cfg(not(unix))]
async fn unix(_: &std::path::Path) -> Result<Box<dyn Bytes>, ConnectError> {
    Err(ConnectErrorKind::Unreachable.into())
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "what gave it has no use for it"
)]
fn failed(error: io::Error) -> ConnectError {
    let kind = match error.kind() {
        io::ErrorKind::ConnectionRefused => ConnectErrorKind::Refused,
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted => ConnectErrorKind::Lost,
        io::ErrorKind::TimedOut => ConnectErrorKind::Silent,
        _ => ConnectErrorKind::Unreachable,
    };
    kind.into()
}

impl<B: AsyncRead + Unpin> AsyncRead for Stream<B> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        let count = ready!(Pin::new(&mut self.bytes).poll_read(context, buffer))?;
        let followed = self.frames.follow(&buffer[..count]);
        let answers = followed.inspect_err(|_| self.ledger.garbage())?;
        self.ledger.add(count, answers);
        Poll::Ready(Ok(count))
    }
}

impl<B: AsyncWrite + Unpin> AsyncWrite for Stream<B> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.bytes).poll_write(context, buffer)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.bytes).poll_flush(context)
    }

    fn poll_close(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.bytes).poll_close(context)
    }
}
