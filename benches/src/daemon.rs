//! larderd as a process.

use crate::guarded::Guarded;
use anyhow::{Context as _, ensure};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::{self, JoinHandle};
use tempfile::TempDir;

/// A running larderd on a free port of the loopback, in a folder of its own.
pub(crate) struct Daemon {
    running: Guarded,
    address: String,
    /// Reads its log to the end: a full pipe would hold it up.
    log: JoinHandle<Threads>,
    _folder: TempDir,
}

/// The names of the threads that requests ended on, as the log has them.
#[derive(Default)]
pub(crate) struct Threads {
    pub(crate) blocked: BTreeSet<String>,
    pub(crate) awaited: BTreeSet<String>,
}

/// Builds larderd as this program is built, and says where it is.
///
/// # Errors
/// When cargo fails; it says why.
pub(crate) fn build() -> anyhow::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--package", "larderd"]);
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    // Said of this program by the cargo that runs it; build scripts that hear it run once more.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name);
        }
    }
    let built = command.current_dir(crate::kept::root()).status();
    ensure!(
        built.context("cannot start cargo")?.success(),
        "cannot build larderd"
    );
    let beside = std::env::current_exe()?.with_file_name("larderd");
    ensure!(beside.exists(), "larderd is not at {}", beside.display());
    Ok(beside)
}

impl Daemon {
    /// Starts it with settings of its own.
    ///
    /// # Errors
    /// When it does not start.
    pub(crate) fn start(program: &Path, settings: &[&str]) -> anyhow::Result<Self> {
        let folder = TempDir::new()?;
        let mut command = Command::new(program);
        command.args(["--listen", "127.0.0.1:0"]);
        command.args(settings).current_dir(folder.path());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut running = Guarded::start(&mut command)?;
        let errors = running.process.stderr.take().context("its log")?;
        let log = thread::spawn(move || {
            let lines = BufReader::new(errors).lines().map_while(Result::ok);
            lines.fold(Threads::default(), |threads, line| threads.read(&line))
        });
        let mut line = String::new();
        let out = running.process.stdout.take().context("its output")?;
        BufReader::new(out).read_line(&mut line)?;
        let (_, address) = line
            .trim_end()
            .rsplit_once("http://")
            .context("larderd did not start")?;
        Ok(Self {
            running,
            address: address.to_owned(),
            log,
            _folder: folder,
        })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The most memory it has had, in MiB.
    ///
    /// # Errors
    /// When the system does not say.
    pub(crate) fn memory(&self) -> anyhow::Result<f64> {
        let path = format!("/proc/{}/status", self.running.process.id());
        let status = std::fs::read_to_string(path)?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
        Ok(kib.context("no VmHWM")?.parse::<f64>()? / 1024.0)
    }

    /// Ends it, and says which threads it has named.
    ///
    /// # Errors
    /// When it ends badly.
    pub(crate) fn end(mut self) -> anyhow::Result<Threads> {
        kill_process(Pid::from_child(&self.running.process), Signal::TERM)?;
        let ended = self.running.process.wait()?;
        ensure!(ended.success(), "larderd failed: {ended}");
        Ok(self.log.join().unwrap_or_default())
    }
}

impl Threads {
    /// `… awaited the upstream seconds=1 thread="main"`
    fn read(mut self, line: &str) -> Self {
        let named = line
            .split_once("thread=\"")
            .and_then(|(_, rest)| rest.split('"').next());
        if let Some(name) = named {
            if line.contains(" blocked ") {
                self.blocked.insert(name.to_owned());
            } else if line.contains(" awaited ") {
                self.awaited.insert(name.to_owned());
            }
        }
        self
    }
}
