//! Starting, asking and ending the program.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;

/// The program, without any setting of the tests' own surroundings, in a folder.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_larderd"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("LARDER_") {
            command.env_remove(name);
        }
    }
    command.current_dir(folder);
    command
}

/// Runs it to its end; that it serves is a failure.
pub(crate) fn run(folder: &Path, args: &[&str]) -> Output {
    finish(command(folder).args(args))
}

/// As [`run`].
pub(crate) fn finish(command: &mut Command) -> Output {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("start");
    let mut out = BufReader::new(child.stdout.take().expect("stdout"));
    let mut printed = String::new();
    out.read_line(&mut printed).expect("a line");
    if printed.contains("http://") {
        child.kill().expect("kill");
        panic!("it serves: {command:?}");
    }
    out.read_to_string(&mut printed).expect("stdout");
    let output = child.wait_with_output().expect("the end");
    Output {
        stdout: printed.into_bytes(),
        ..output
    }
}

/// A running program on a free port; killed when dropped.
pub(crate) struct Daemon {
    pub(crate) child: Child,
    pub(crate) address: String,
    /// The second line it printed.
    pub(crate) example: String,
    out: BufReader<ChildStdout>,
}

/// What was answered to one request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Daemon {
    /// In a folder of its own, with the database in it.
    pub(crate) fn start() -> (Self, TempDir) {
        let folder = TempDir::new().expect("a folder");
        (Self::in_folder(folder.path(), &[]), folder)
    }

    pub(crate) fn in_folder(folder: &Path, args: &[&str]) -> Self {
        let mut command = command(folder);
        command.args(["--listen", "127.0.0.1:0"]).args(args);
        Self::spawn(&mut command)
    }

    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("start");
        let mut out = BufReader::new(child.stdout.take().expect("stdout"));
        let mut lines = [String::new(), String::new()];
        for line in &mut lines {
            out.read_line(line).expect("a line");
        }
        let [first, second] = lines;
        let address = first
            .trim_end()
            .rsplit_once("http://")
            .expect("an address")
            .1
            .to_owned();
        Self {
            child,
            address,
            example: second.trim_end().to_owned(),
            out,
        }
    }

    pub(crate) fn ask(&self, method: &str, path: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).expect("connect");
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .expect("timeout");
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
        );
        stream
            .write_all(format!("{head}{body}").as_bytes())
            .expect("send");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let status = head[9..12].parse().expect("a status");
        Answer {
            status,
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, "")
    }

    /// Sends a signal by name.
    #[cfg(unix)]
    pub(crate) fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill")
            .args(["-s", signal, &pid])
            .status()
            .expect("kill");
        assert!(sent.success());
    }

    /// Sends a signal and waits for the end; gives exit code and stderr.
    #[cfg(unix)]
    pub(crate) fn end(self, signal: &str) -> (Option<i32>, String) {
        self.signal(signal);
        self.ended()
    }

    /// Waits for the end; gives exit code and stderr.
    #[cfg(unix)]
    pub(crate) fn ended(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).expect("stdout");
        assert_eq!(rest, "", "nothing more was printed");
        let mut log = String::new();
        self.child
            .stderr
            .take()
            .expect("stderr")
            .read_to_string(&mut log)
            .expect("stderr");
        (self.child.wait().expect("the end").code(), log)
    }
}

impl Answer {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        let line = self
            .head
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        line.unwrap_or_default()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
