//! A real server, started for these tests and ended by them.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

/// A real server on a socket of its own; ended when dropped.
pub(crate) struct Started {
    pub(crate) socket: PathBuf,
    child: Child,
    _directory: TempDir,
}

impl Started {
    /// Starts one, if there is a program for it; else says so, and fails where nobody reads that.
    #[expect(clippy::print_stdout, reason = "a test that did not run says so")]
    pub(crate) fn start() -> Result<Option<Self>> {
        let directory = tempfile::tempdir()?;
        let socket = directory.path().join("socket");
        let set = std::env::var_os("LARDER_TEST_REDIS_SERVER");
        let program = set.unwrap_or_else(|| "redis-server".into());
        let child = Command::new(&program)
            .args([
                "--port",
                "0",
                "--save",
                "",
                "--appendonly",
                "no",
                "--unixsocket",
            ])
            .arg(&socket)
            .current_dir(directory.path())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            ensure!(
                std::env::var_os("CI").is_none(),
                "no server: {program:?} does not start"
            );
            println!("SKIPPED: {program:?} does not start");
            return Ok(None);
        };
        let output = child.stdout.take().context("it is piped")?;
        let started = Self {
            socket,
            child,
            _directory: directory,
        };
        for line in BufReader::new(output).lines() {
            if line?
                .to_ascii_lowercase()
                .contains("ready to accept connections")
            {
                return Ok(Some(started));
            }
        }
        bail!("the server has ended before it was ready")
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // It is gone either way.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
