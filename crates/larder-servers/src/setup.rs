//! What servers are made of.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::folder::Folder;
use crate::{program, skipped};

/// The program that servers run, and where they keep their files.
#[derive(Debug, Clone)]
pub struct Setup {
    program: PathBuf,
    root: Option<PathBuf>,
}

impl Setup {
    /// For tests: the program that is [found](Self::find), in folders that end with the servers;
    /// `None` if there is no program, after saying so loudly.
    ///
    /// # Panics
    /// When there is none and `CI` is `true`.
    #[must_use]
    pub fn for_tests() -> Option<Self> {
        match Self::find() {
            Ok(setup) => Some(setup),
            Err(sentence) => skipped::skipped(&sentence),
        }
    }

    /// The program that `LARDER_TEST_REDIS_SERVER` names; else one on the path; else Debian's package,
    /// installed for it by who may; else that of a pinned wheel. Looked for once a process.
    ///
    /// # Errors
    /// There is none: a sentence that says how to get one.
    pub fn find() -> Result<Self, String> {
        program::find().map(|program| Self::of(program.clone()))
    }

    /// This program, in folders that end with the servers.
    #[must_use]
    pub const fn of(program: PathBuf) -> Self {
        Self {
            program,
            root: None,
        }
    }

    /// Files are kept in folders below this one.
    #[must_use]
    pub fn below(mut self, root: PathBuf) -> Self {
        self.root = Some(root);
        self
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// What the program calls itself: `Redis 7.0.15`, `Valkey 8.1.8`; its path if it does not say so.
    #[must_use]
    pub fn version(&self) -> String {
        let said = Command::new(&self.program).arg("--version").output();
        let said = said.map_or_else(
            |_| String::new(),
            |output| String::from_utf8_lossy(&output.stdout).into_owned(),
        );
        let mut words = said.split(' ');
        match (words.next(), words.find_map(|word| word.strip_prefix("v="))) {
            (Some(name), Some(version)) => format!("{name} {version}"),
            _ => self.program.display().to_string(),
        }
    }

    /// A folder for the server of a port.
    pub(crate) fn folder(&self, port: u16) -> io::Result<Folder> {
        match &self.root {
            Some(root) => Folder::kept(root.join(port.to_string())),
            None => Folder::passing(),
        }
    }
}
