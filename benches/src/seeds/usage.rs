//! What a process and its server have used.

use std::fs;
use std::time::Duration;

use anyhow::Context as _;
use redis::Connection;
use rustix::time::{ClockId, clock_gettime};

use super::blocking;

/// Processor time so far: of this process, and of the server.
#[derive(Clone, Copy)]
pub(crate) struct Used {
    pub(crate) ours: Duration,
    pub(crate) server: Duration,
}

/// Reads what was used.
pub(crate) struct Meter(Connection);

impl Meter {
    /// Of the server of this port.
    ///
    /// # Errors
    /// The server does not take a connection.
    pub(crate) fn new(port: u16) -> anyhow::Result<Self> {
        Ok(Self(blocking::client(port)?.get_connection()?))
    }

    /// Reads it now.
    ///
    /// # Errors
    /// The server does not say it.
    pub(crate) fn read(&mut self) -> anyhow::Result<Used> {
        let info: String = redis::cmd("INFO").arg("cpu").query(&mut self.0)?;
        let part = |name| seconds(&info, name).with_context(|| format!("no {name} in INFO cpu"));
        let server = part("used_cpu_sys")? + part("used_cpu_user")?;
        Ok(Used {
            ours: process_time(),
            server: Duration::from_secs_f64(server),
        })
    }
}

fn seconds(info: &str, name: &str) -> Option<f64> {
    let mut lines = info.lines();
    let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    value?.trim().parse().ok()
}

fn process_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    )
}

/// The most memory that this process had at any moment, in KiB; `None` where the system does not say.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_info_is_found_by_its_whole_name() {
        let info = "# CPU\r\nused_cpu_sys_children:9\r\nused_cpu_sys:1.5\r\n";
        assert_eq!(seconds(info, "used_cpu_sys"), Some(1.5));
        assert_eq!(seconds(info, "used_cpu_user"), None);
    }
}
