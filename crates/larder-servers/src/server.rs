//! One server.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::Signal;

use crate::answer;
use crate::folder::Folder;
use crate::port::Port;
use crate::running::{LOG, Running};
use crate::setup::Setup;
use crate::wait::until;

/// A Redis server of one test's own: in a folder of its own, on a free port of the loopback and on a
/// socket in that folder, without persistence. It is killed when this is dropped.
///
/// It may be killed and started again on the same port, by whoever has a reference.
#[derive(Debug)]
pub struct Server {
    program: PathBuf,
    arguments: Vec<String>,
    // Before the folder: its files are removed when nobody writes them any more.
    running: Mutex<Option<Running>>,
    folder: Folder,
    port: Port,
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
        Setup::for_tests().map(|setup| Self::of(&setup, arguments))
    }

    /// Starts a server of this setup, with more arguments.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn of(setup: &Setup, arguments: &[&str]) -> Self {
        let server = Self::prepare(setup, &[]);
        let server = server
            .expect("a folder and a port for a server")
            .with(arguments);
        server.start_again();
        server
    }

    /// A server that does not run yet; `head` stands before what every server is told.
    pub(crate) fn prepare(setup: &Setup, head: &[&str]) -> io::Result<Self> {
        let port = Port::free()?;
        let number = port.number().to_string();
        let every = [
            ["--bind", "127.0.0.1"],
            ["--port", &number],
            ["--unixsocket", SOCKET],
            ["--logfile", ""],
            ["--save", ""],
        ];
        let arguments = head.iter().chain(every.as_flattened());
        Ok(Self {
            program: setup.program().to_owned(),
            arguments: arguments.map(|word| (*word).to_owned()).collect(),
            running: Mutex::new(None),
            folder: setup.folder(port.number())?,
            port,
        })
    }

    /// With more arguments.
    pub(crate) fn with(mut self, arguments: &[&str]) -> Self {
        let arguments = arguments.iter().map(|word| (*word).to_owned());
        self.arguments.extend(arguments);
        self
    }

    /// Starts it after it was [killed](Self::kill), on the same port, with what was last
    /// [saved](Self::save); returns when it answers.
    ///
    /// # Panics
    /// When it runs, and when it does not come up: with the end of what it said.
    pub fn start_again(&self) {
        let mut slot = self.slot();
        assert!(slot.is_none(), "it runs");
        let started = Running::start(&self.program, self.folder(), &self.arguments);
        let mut running = started.expect("the program can be started");
        until("a server that answers", || {
            assert!(!running.has_ended(), "it does not start: {}", self.said());
            self.is_ready().then_some(())
        });
        *slot = Some(running);
    }

    /// Starts it with nothing in it, after it was [killed](Self::kill). A node of a cluster still knows
    /// the others.
    ///
    /// # Panics
    /// As [`start_again`](Self::start_again).
    pub fn start_empty(&self) {
        // There is none if nothing was saved.
        let _ = fs::remove_file(self.folder().join("dump.rdb"));
        self.start_again();
    }

    /// Kills it as power does when it fails; returns when it has ended. It is down until it is
    /// [started again](Self::start_again).
    pub fn kill(&self) {
        *self.slot() = None;
    }

    /// Stops its process where it stands: connections stay, and nobody answers.
    ///
    /// # Panics
    /// When it does not run.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on after a [pause](Self::pause).
    ///
    /// # Panics
    /// When it does not run.
    pub fn go_on(&self) {
        self.signal(Signal::CONT);
    }

    /// Writes what it holds to its disk, where a start finds it.
    ///
    /// # Panics
    /// When it refuses.
    pub fn save(&self) {
        self.ask(&["SAVE"]).and_then(fine).expect("it saves");
    }

    /// The file that [`save`](Self::save) writes.
    #[must_use]
    pub fn saved(&self) -> PathBuf {
        self.folder().join("dump.rdb")
    }

    /// Copies from a master from now on, with all it has; returns when it has.
    ///
    /// # Panics
    /// When it refuses.
    pub fn follow(&self, master: &Self) {
        let port = master.port().to_string();
        let told = self.ask(&["REPLICAOF", "127.0.0.1", &port]);
        told.and_then(fine).expect("it follows");
        self.until_linked();
    }

    /// Makes it a master, with what it has copied.
    ///
    /// # Panics
    /// When it refuses.
    pub fn promote(&self) {
        let told = self.ask(&["REPLICAOF", "NO", "ONE"]);
        told.and_then(fine).expect("it leads");
    }

    /// Asks it, over its port, by a connection of its own. The answer is flat: a text for each
    /// element, empty for nil; an error begins with `-`.
    ///
    /// # Errors
    /// When it is down, or paused: after two seconds.
    pub fn ask(&self, words: &[&str]) -> io::Result<Vec<String>> {
        answer::ask(self.port(), &[words])
    }

    /// Has it take a command that writes, and returns when this many replicas have it as well. It is sent
    /// again as long as they do not.
    ///
    /// # Panics
    /// When it refuses, or they do not have it within a minute.
    pub fn write(&self, words: &[&str], replicas: usize) {
        // It waits for what the connection that says so has written, and for nothing else.
        let wait = ["WAIT", &replicas.to_string(), "1000"];
        until("replicas that have copied a write", || {
            let told = answer::ask(self.port(), &[words, &wait]).ok()?;
            let told = fine(told).expect("it takes a write");
            let have = told.last()?.parse::<usize>().ok()?;
            (have >= replicas).then_some(())
        });
    }

    /// The value of a line `name:value` of what it answers; nothing if it does not answer so.
    #[must_use]
    pub fn line(&self, words: &[&str], name: &str) -> Option<String> {
        let answer = self.ask(words).ok()?.join("\n");
        let line = answer.lines().find_map(|line| line.strip_prefix(name));
        line?.strip_prefix(':').map(str::to_owned)
    }

    /// Its address over TCP.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port())
    }

    /// Its port, on the loopback.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port.number()
    }

    /// Its socket.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.folder().join(SOCKET)
    }

    /// Its address over its socket.
    #[must_use]
    pub fn socket_url(&self) -> String {
        format!("unix://{}", self.socket().display())
    }

    /// The folder of its files; `log` there is what it has said.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Its process, for signals.
    ///
    /// # Panics
    /// When it does not run.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.slot().as_ref().expect("it runs").pid()
    }

    /// Lets it outlive us, with its files, for who [kept](Setup::below) them.
    pub fn keep(self) {
        let running = self.running.into_inner();
        if let Some(running) = running.unwrap_or_else(PoisonError::into_inner) {
            running.keep();
        }
    }

    /// Waits until it has copied its master.
    pub(crate) fn until_linked(&self) {
        until("a replica that has copied", || {
            let linked = self.line(&["INFO", "replication"], "master_link_status");
            (linked? == "up").then_some(())
        });
    }

    fn signal(&self, signal: Signal) {
        self.slot().as_ref().expect("it runs").signal(signal);
    }

    fn is_ready(&self) -> bool {
        let answer = self.ask(&["PING"]);
        answer.is_ok_and(|words| !words.join(" ").starts_with("-LOADING"))
    }

    /// The end of what it has said.
    fn said(&self) -> String {
        let log = fs::read_to_string(self.folder().join(LOG)).unwrap_or_default();
        let lines: Vec<_> = log.lines().collect();
        lines[lines.len().saturating_sub(8)..].join("\n")
    }

    // A test that has failed with it still has it killed.
    fn slot(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Refuses an answer that is an error.
pub(crate) fn fine(answer: Vec<String>) -> io::Result<Vec<String>> {
    match answer.iter().find(|text| text.starts_with('-')) {
        Some(error) => Err(io::Error::other(error.clone())),
        None => Ok(answer),
    }
}

const SOCKET: &str = "s";
