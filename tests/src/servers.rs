//! Servers for tests: only such as a test has started, and ended with it.

mod program;
mod skipped;

use std::io::{self, BufRead, BufReader, Read};
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;

use tempfile::TempDir;

/// A Redis server of one test's own: in a folder of its own, on a free port of the loopback and on a
/// socket in that folder, without persistence. It is killed when this is dropped.
#[derive(Debug)]
pub struct Server {
    process: Child,
    folder: TempDir,
    port: u16,
}

impl Server {
    /// Starts a server; `None` if there is no program for one, after saying so loudly.
    ///
    /// # Panics
    /// When there is none and `CI` is `true`; when a server does not start.
    #[must_use]
    pub fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    /// As [`start`](Self::start), with more arguments (`--maxmemory`, `4mb`).
    ///
    /// # Panics
    /// As there.
    #[must_use]
    pub fn start_with(arguments: &[&str]) -> Option<Self> {
        let program = match program::find() {
            Ok(program) => program,
            Err(sentence) => return skipped::skipped(&sentence),
        };
        // Somebody may take the port before the server does.
        let started = (0..5).find_map(|_| Self::try_start(program, arguments).ok());
        Some(started.expect("a server starts within five ports"))
    }

    fn try_start(program: &PathBuf, arguments: &[&str]) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("larder-").tempdir()?;
        let port = free_port()?;
        let mut process = Command::new(program)
            .current_dir(folder.path())
            .args(["--bind", "127.0.0.1", "--port", &port.to_string()])
            .args(["--unixsocket", SOCKET, "--logfile", ""])
            .args(["--save", "", "--appendonly", "no"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let output = process.stdout.take().expect("it is piped");
        let server = Self {
            process,
            folder,
            port,
        };
        wait_until_ready(output)?;
        Ok(server)
    }

    /// Its address over TCP.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Its port, on the loopback.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Its socket.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join(SOCKET)
    }

    /// Its address over its socket.
    #[must_use]
    pub fn socket_url(&self) -> String {
        format!("unix://{}", self.socket().display())
    }

    /// Its process, for signals.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have been ended by the test.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

const SOCKET: &str = "s";

fn free_port() -> io::Result<u16> {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(free.local_addr()?.port())
}

/// Reads what the server says until it says that it is ready, and goes on reading, or it would block
/// once nobody takes its lines.
fn wait_until_ready(output: impl Read + Send + 'static) -> io::Result<()> {
    let mut lines = BufReader::new(output).lines();
    loop {
        let line = lines.next().ok_or(io::ErrorKind::UnexpectedEof)??;
        if line.contains("Ready to accept connections") {
            break;
        }
    }
    thread::spawn(move || lines.for_each(drop));
    Ok(())
}
