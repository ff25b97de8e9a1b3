//! Servers that stay up after us, for development.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::answer;
use crate::setup::Setup;
use crate::wait::until;
use crate::{Cluster, Encrypted, Sentinels, Server};

/// What to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// One server.
    Single,
    /// A master, two replicas and three sentinels.
    Sentinel,
    /// Three masters with a replica each.
    Cluster,
    /// One server that speaks TLS.
    Tls,
}

/// Servers that were started to stay, as they are written down: nothing else is ever ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    url: String,
    servers: Vec<(u32, u16)>,
}

/// What became of a server that was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Up,
    Gone,
    /// Something holds its port and does not answer: it may be paused, or be another program.
    Silent,
}

impl Standing {
    /// Starts servers that outlive us, with all their files in this folder, and writes them down there.
    ///
    /// # Errors
    /// Some that were started before are up; the files cannot be written; the program cannot do it.
    ///
    /// # Panics
    /// When one does not start.
    pub fn up(folder: &Path, setup: Setup, kind: Kind) -> io::Result<Self> {
        if let Some(standing) = Self::read(folder)? {
            if standing.states().any(|(_, _, state)| state != State::Gone) {
                let url = &standing.url;
                return Err(io::Error::other(format!("there are some already: {url}")));
            }
            fs::remove_dir_all(folder)?;
        }
        let setup = setup.below(folder.join("files"));
        match kind {
            Kind::Single => {
                let server = Server::of(&setup, &[]);
                Self::write(folder, server.url(), [&server])?.kept(|| server.keep())
            }
            Kind::Tls if !Encrypted::speaks(&setup) => {
                let version = setup.version();
                Err(io::Error::other(format!("{version} was built without TLS")))
            }
            Kind::Tls => {
                let server = Encrypted::of(&setup);
                let url = server.url("localhost");
                Self::write(folder, url, [server.server()])?.kept(|| server.keep())
            }
            Kind::Sentinel => {
                let all = Sentinels::of(&setup, DOWN_AFTER);
                let servers = all.servers().iter().chain(all.sentinels());
                Self::write(folder, all.url(), servers)?.kept(|| all.keep())
            }
            Kind::Cluster => {
                let all = Cluster::of(&setup, 6, DOWN_AFTER);
                Self::write(folder, all.url(), all.nodes())?.kept(|| all.keep())
            }
        }
    }

    fn kept(self, keep: impl FnOnce()) -> io::Result<Self> {
        keep();
        Ok(self)
    }

    /// What stands in this folder.
    ///
    /// # Errors
    /// It was written by somebody else.
    pub fn read(folder: &Path) -> io::Result<Option<Self>> {
        let text = match fs::read_to_string(list(folder)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text?,
        };
        let mut lines = text.lines();
        let url = lines.next().unwrap_or_default().to_owned();
        let servers: Option<Vec<_>> = lines.map(numbers).collect();
        let servers = servers.ok_or_else(|| io::Error::other("its list of servers is not ours"))?;
        Ok(Some(Self { url, servers }))
    }

    /// Ends those that are up, each only if the process of that number still is the server that was
    /// started, and removes their files.
    ///
    /// # Errors
    /// With those that are left alone, because they do not answer as that server; the files stay.
    pub fn down(self, folder: &Path) -> io::Result<()> {
        let mut left = Vec::new();
        for (pid, port, state) in self.states() {
            match state {
                State::Gone => {}
                State::Up => end(pid, port)?,
                State::Silent => left.push(format!("process {pid} (port {port})")),
            }
        }
        if left.is_empty() {
            return fs::remove_dir_all(folder);
        }
        let left = left.join(", ");
        Err(io::Error::other(format!(
            "left alone, for it does not say that it is the server that was started: {left}"
        )))
    }

    /// Their address, and a line for each.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let line = |(pid, port, state)| {
            let state = match state {
                State::Up => role(port),
                State::Gone => "gone".to_owned(),
                State::Silent => "does not answer".to_owned(),
            };
            format!("  127.0.0.1:{port}  process {pid}  {state}")
        };
        let head = self.url.clone();
        std::iter::once(head)
            .chain(self.states().map(line))
            .collect()
    }

    fn states(&self) -> impl Iterator<Item = (u32, u16, State)> + '_ {
        self.servers
            .iter()
            .map(|(pid, port)| (*pid, *port, state(*pid, *port)))
    }

    fn write<'a>(
        folder: &Path,
        url: String,
        servers: impl IntoIterator<Item = &'a Server>,
    ) -> io::Result<Self> {
        let servers = servers
            .into_iter()
            .map(|server| (server.pid(), server.port()));
        let servers: Vec<_> = servers.collect();
        let lines = servers.iter().map(|(pid, port)| format!("{pid} {port}\n"));
        fs::write(
            list(folder),
            format!("{url}\n{}", lines.collect::<String>()),
        )?;
        Ok(Self { url, servers })
    }
}

fn list(folder: &Path) -> PathBuf {
    folder.join("servers")
}

fn numbers(line: &str) -> Option<(u32, u16)> {
    let (pid, port) = line.split_once(' ')?;
    Some((pid.parse().ok()?, port.parse().ok()?))
}

/// Whoever answers on a port says which process it is: so a number that has passed to another process
/// is not taken for ours, nor a port that has passed to another server.
fn state(pid: u32, port: u16) -> State {
    match answer::ask(port, &[&["INFO", "server"]]) {
        Ok(answer) => {
            let ours = format!("process_id:{pid}");
            let answer = answer.join("\n");
            let ours = answer.lines().any(|line| line == ours);
            if ours { State::Up } else { State::Gone }
        }
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => State::Gone,
        Err(_) => State::Silent,
    }
}

fn role(port: u16) -> String {
    let role = answer::ask(port, &[&["ROLE"]]).unwrap_or_default();
    role.into_iter().next().unwrap_or_default()
}

fn end(pid: u32, port: u16) -> io::Result<()> {
    let process = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let process = process.ok_or(io::ErrorKind::InvalidData)?;
    kill_process(process, Signal::KILL)?;
    until("the end of a server", || {
        (state(pid, port) == State::Gone).then_some(())
    });
    Ok(())
}

const DOWN_AFTER: Duration = Duration::from_secs(5);
