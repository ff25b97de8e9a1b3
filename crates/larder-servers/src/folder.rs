//! Where a server keeps its files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder of one server's own.
#[derive(Debug)]
pub(crate) enum Folder {
    /// Removed with the server.
    Passing(TempDir),
    /// Stays.
    Kept(PathBuf),
}

impl Folder {
    pub(crate) fn passing() -> io::Result<Self> {
        // A path to a socket has to be short.
        let folder = tempfile::Builder::new().prefix("larder-").tempdir()?;
        Ok(Self::Passing(folder))
    }

    pub(crate) fn kept(path: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&path)?;
        Ok(Self::Kept(path))
    }

    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Passing(folder) => folder.path(),
            Self::Kept(path) => path,
        }
    }
}
