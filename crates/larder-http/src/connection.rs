//! One connection, from accept to close.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_lite::future::poll_once;
use futures_lite::{AsyncReadExt, AsyncWriteExt, FutureExt};
use hyper::StatusCode;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use smol::Timer;
use smol::channel::Receiver;
use smol::net::TcpStream;
use smol_hyper::rt::FuturesIo;

use crate::Limits;
use crate::bridge::Bridge;
use crate::problem::Problem;
use crate::socket::Socket;
use crate::watch::{Phase, Watch};

/// Bounds on reading what a client still sends after its answer.
const LINGER_BYTES: usize = 512 * 1024;
const LINGER: Duration = Duration::from_secs(1);

const MALFORMED: &str = "the request is not well formed";

/// Serves a connection until it ends, by whatever cause. `closing` closes when the server shuts down; the
/// connection then ends within [`Limits::grace`] and a second.
pub(crate) async fn serve(bridge: Arc<Bridge>, socket: TcpStream, closing: Receiver<Infallible>) {
    let watch = Arc::new(Watch::default());
    let io = FuturesIo::new(Socket::new(socket, Arc::clone(&watch)));
    let limits = &bridge.limits;
    let service = service_fn(|request| {
        let (bridge, watch) = (Arc::clone(&bridge), Arc::clone(&watch));
        async move { Ok::<_, Infallible>(bridge.respond(watch, request).await) }
    });
    let mut http = builder(limits).serve_connection(io, service);

    let mut tick = Timer::after(limits.tick);
    let mut ending = None;
    let mut closing = pin!(closing.recv());
    let end = poll_fn(|cx| {
        if ending.is_none() && closing.as_mut().poll(cx).is_ready() {
            ending = Some(Timer::after(limits.grace));
            Pin::new(&mut http).graceful_shutdown();
        }
        if let Poll::Ready(result) = Pin::new(&mut http).poll(cx) {
            return Poll::Ready(End::of(&result));
        }
        if ending
            .as_mut()
            .is_some_and(|ending| ending.poll(cx).is_ready())
        {
            return Poll::Ready(End::Overdue);
        }
        while tick.poll(cx).is_ready() {
            // Not an interval, which would make up for the ticks that a paused process missed.
            tick.set_after(limits.tick);
            watch.tick();
            if watch.overdue(limits) {
                return Poll::Ready(End::Overdue);
            }
        }
        Poll::Pending
    })
    .await;

    let parts = http.into_parts();
    let socket = parts.io.into_inner().into_inner();
    let last_words = watch
        .refused()
        .map(|status| refusal(status, limits))
        .or_else(|| end.last_words(watch.phase(), !parts.read_buf.is_empty()));
    // At a shutdown an idle client is not waited for.
    let answered = matches!(end, End::Done) && ending.is_none();
    let sending = answered || last_words.is_some() || watch.unread();
    let patience = async {
        Timer::after(LINGER).await;
    };
    part(socket, last_words, sending).or(patience).await;
}

fn builder(limits: &Limits) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .max_header_size(limits.max_head)
        .max_buf_size(limits.max_head)
        // The watch does this without a timer for each request.
        .header_read_timeout(None)
        // Who shuts its writing side after the request still wants the answer.
        .half_close(true);
    builder
}

/// What is said of a head that hyper refused.
fn refusal(status: StatusCode, limits: &Limits) -> Problem {
    let most = limits.max_head;
    let detail = match status {
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => {
            format!("a request may have at most {most} bytes before its body, and 100 headers")
        }
        StatusCode::URI_TOO_LONG => "the target of the request is too long".to_owned(),
        _ => MALFORMED.to_owned(),
    };
    Problem::new(status, detail)
}

/// How hyper's part of a connection ended.
#[derive(Debug)]
enum End {
    /// As HTTP says, or the socket is gone.
    Done,
    /// The bytes are no HTTP, or stopped in the middle.
    Refused,
    /// A limit has passed.
    Overdue,
}

impl End {
    fn of(result: &hyper::Result<()>) -> Self {
        match result {
            Err(error) if error.is_parse() || error.is_incomplete_message() => Self::Refused,
            _ => Self::Done,
        }
    }

    /// What a client that got no answer must still be told.
    fn last_words(&self, phase: Phase, begun: bool) -> Option<Problem> {
        match (self, phase) {
            (Self::Done, _) | (_, Phase::Write | Phase::Feed) => None,
            (Self::Overdue, Phase::Idle) if !begun => None,
            (Self::Overdue, Phase::Work) => {
                let problem =
                    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the answer took too long");
                Some(problem)
            }
            (Self::Overdue, _) => {
                let problem = Problem::new(
                    StatusCode::REQUEST_TIMEOUT,
                    "the request took too long to arrive",
                );
                Some(problem)
            }
            (Self::Refused, _) => Some(Problem::bad_request(MALFORMED)),
        }
    }
}

/// Writes what is left to say and closes. If the client may still be `sending`, reads on until it closes as well: a
/// socket that is closed with bytes unread is reset, and the client would lose the answer.
async fn part(socket: TcpStream, words: Option<Problem>, sending: bool) {
    // Nobody is left to be told of an error.
    let _ = say_and_close(socket, words, sending).await;
}

async fn say_and_close(
    mut socket: TcpStream,
    words: Option<Problem>,
    sending: bool,
) -> io::Result<()> {
    if let Some(problem) = words {
        socket.write_all(&problem.to_wire()).await?;
    }
    socket.close().await?;
    let mut rest = [0; 8192];
    if !sending && poll_once(socket.read(&mut rest)).await.is_none() {
        return Ok(());
    }
    let mut left = LINGER_BYTES;
    while left > 0 {
        match socket.read(&mut rest).await? {
            0 => break,
            read => left = left.saturating_sub(read),
        }
    }
    Ok(())
}
