//! A process that ends with us.

use std::process::{Child, Command, Stdio};

/// Killed when this is dropped, and by a shell that waits for our end when that comes without.
pub(crate) struct Guarded {
    pub(crate) process: Child,
    guard: Child,
}

impl Guarded {
    /// Starts a program.
    ///
    /// # Errors
    /// When it or the shell cannot be started.
    pub(crate) fn start(command: &mut Command) -> anyhow::Result<Self> {
        let mut process = command.spawn()?;
        let mut shell = Command::new("sh");
        // Our end of its input closes when we are gone, however that came.
        shell.args(["-c", "read -r _; kill -9 \"$0\"", &process.id().to_string()]);
        shell.stdin(Stdio::piped()).stdout(Stdio::null());
        match shell.stderr(Stdio::null()).spawn() {
            Ok(guard) => Ok(Self { process, guard }),
            Err(error) => {
                process.kill()?;
                Err(error.into())
            }
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // First: once the process is waited for, its number may be another's.
        let _ = self.guard.kill();
        let _ = self.guard.wait();
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
