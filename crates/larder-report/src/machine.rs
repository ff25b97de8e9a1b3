//! The machine that a run was on.

use serde::{Deserialize, Serialize};
use std::fs;
use std::thread;

/// What of a machine decides its figures, and nothing that names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Machine {
    /// The processor's own name.
    pub cpu: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Memory in MiB; none where the system does not say.
    pub memory_mib: Option<u64>,
    /// System, architecture and kernel.
    pub system: String,
}

impl Machine {
    /// The one that this process runs on; what the system does not say is "unknown".
    #[must_use]
    pub fn this() -> Self {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        let kernel = read("/proc/sys/kernel/osrelease");
        let system = [std::env::consts::OS, std::env::consts::ARCH, kernel.trim()];
        let cpu = field(&read("/proc/cpuinfo"), "model name");
        let memory = field(&read("/proc/meminfo"), "MemTotal");
        Self {
            cpu: cpu.unwrap_or_else(|| "unknown".to_owned()),
            cores: thread::available_parallelism().map_or(1, usize::from),
            memory_mib: memory.and_then(|text| mebibytes(&text)),
            system: system.join(" ").trim_end().to_owned(),
        }
    }
}

/// What stands behind the first `name … :`.
fn field(text: &str, name: &str) -> Option<String> {
    let fields = text.lines().filter_map(|line| line.split_once(':'));
    let mut found = fields.filter(|(key, _)| key.trim() == name);
    found.next().map(|(_, value)| value.trim().to_owned())
}

fn mebibytes(kibibytes: &str) -> Option<u64> {
    let number = kibibytes.strip_suffix("kB")?.trim_end();
    number.parse::<u64>().ok().map(|number| number / 1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_the_system_are_read() {
        let text = "processor\t: 0\nmodel name\t: A CPU @ 2.00GHz\nmodel name\t: B\n";
        assert_eq!(
            field(text, "model name").as_deref(),
            Some("A CPU @ 2.00GHz")
        );
        assert_eq!(field(text, "MemTotal"), None);
        assert_eq!(mebibytes("8133848 kB"), Some(7_943));
        assert!(Machine::this().cores >= 1);
    }
}
