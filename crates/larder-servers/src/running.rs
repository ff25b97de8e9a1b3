//! A process that ends with us.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

/// A server's process. It is killed when this is dropped, and when we end without dropping anything.
#[derive(Debug)]
pub(crate) struct Running {
    process: Child,
    /// Waits for our end.
    guard: Option<Child>,
}

impl Running {
    /// Starts a program in a folder; what it says goes to the file `log` there. It stands in a group of
    /// its own, so that a key pressed for us does not reach it.
    pub(crate) fn start(program: &Path, folder: &Path, arguments: &[String]) -> io::Result<Self> {
        let log = File::options()
            .create(true)
            .append(true)
            .open(folder.join(LOG))?;
        let mut command = Command::new(program);
        command.current_dir(folder).args(arguments);
        let complaints = log.try_clone()?;
        command.stdin(Stdio::null()).stdout(log).stderr(complaints);
        let process = command.process_group(0).spawn()?;
        let mut running = Self {
            process,
            guard: None,
        };
        running.guard = Some(guard(running.pid())?);
        Ok(running)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Whether it has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.process.try_wait(), Ok(None))
    }

    /// Sends it a signal.
    ///
    /// # Panics
    /// If it has ended.
    pub(crate) fn signal(&self, signal: Signal) {
        let sent = kill_process(Pid::from_child(&self.process), signal);
        sent.expect("a process of ours that was not waited for");
    }

    /// Lets it outlive us.
    pub(crate) fn keep(mut self) {
        self.let_go();
        self.guard = None;
        std::mem::forget(self);
    }

    fn let_go(&mut self) {
        if let Some(guard) = &mut self.guard {
            // It ends by itself only when we do.
            let _ = guard.kill();
            let _ = guard.wait();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Before the process is waited for: then another may get its number.
        self.let_go();
        // It may have been ended by the test.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A shell that kills a process as soon as we are gone, however that came: our end of a pipe closes.
fn guard(pid: u32) -> io::Result<Child> {
    let mut shell = Command::new("sh");
    shell.args(["-c", "read -r _; kill -9 \"$0\"", &pid.to_string()]);
    shell
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    shell.process_group(0).spawn()
}

pub(crate) const LOG: &str = "log";
