//! The service that larderd waits for.

use crate::experiment::PART;
use crate::guarded::Guarded;
use anyhow::Context as _;
use larder_report::Scale;
use smol::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use smol::net::{TcpListener, TcpStream};
use smol::{LocalExecutor, Timer};
use std::io::{BufRead as _, Write as _};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

/// `GET /{seconds}` is answered so many seconds later, by a process of its own.
pub(super) struct Upstream {
    _process: Guarded,
    address: String,
}

impl Upstream {
    /// Starts the process.
    ///
    /// # Errors
    /// When it does not start.
    pub(super) fn start() -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["delay", PART, "upstream"]);
        let mut process = Guarded::start(command.stdout(Stdio::piped()))?;
        let out = process.process.stdout.take().context("its output")?;
        let mut address = String::new();
        std::io::BufReader::new(out).read_line(&mut address)?;
        Ok(Self {
            _process: process,
            address: address.trim_end().to_owned(),
        })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

/// Serves on a free port of the loopback, which it prints, until it is killed.
///
/// # Errors
/// When there is no port.
pub(crate) fn serve(_: Scale, _: &[String]) -> anyhow::Result<()> {
    let executor = Rc::new(LocalExecutor::new());
    smol::block_on(executor.run(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        // A crowd comes at once; beyond what may wait here it would come again after a second.
        rustix::net::listen(&listener, BACKLOG)?;
        println!("{}", listener.local_addr()?);
        std::io::stdout().flush()?;
        loop {
            let (socket, _) = listener.accept().await?;
            // Who has gone needs no answer.
            executor
                .spawn(async { drop(answer(socket).await) })
                .detach();
        }
    }))
}

const BACKLOG: i32 = 4096;

/// Answers one request and closes, as larderd asks it to.
async fn answer(socket: TcpStream) -> anyhow::Result<()> {
    let mut lines = BufReader::new(socket.clone()).lines();
    let mut seconds = None;
    while let Some(line) = smol::stream::StreamExt::next(&mut lines).await {
        let line = line?;
        if line.is_empty() {
            break;
        }
        let path = line
            .strip_prefix("GET /")
            .and_then(|rest| rest.split(' ').next());
        seconds = seconds.or(path.and_then(|path| path.parse().ok()));
    }
    Timer::after(Duration::from_secs(seconds.context("no seconds")?)).await;
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\nwaited\n";
    let mut socket = socket;
    socket.write_all(answer).await?;
    Ok(())
}
