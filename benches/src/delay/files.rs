//! How many files a process may have open: a connection is one.

use anyhow::{Context as _, ensure};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What a process needs besides connections of a crowd.
const BESIDES: u64 = 100;

/// The limit of this process, and of those that it starts.
pub(super) struct Files(u64);

impl Files {
    /// Raises the limit as far as this user may.
    ///
    /// # Errors
    /// When the system does not let us, or no crowd could be made within the limit.
    pub(super) fn raise() -> anyhow::Result<Self> {
        let limit = getrlimit(Resource::Nofile);
        let most = limit.maximum;
        let raised = Rlimit {
            current: most,
            maximum: most,
        };
        setrlimit(Resource::Nofile, raised).context("cannot raise the limit on open files")?;
        let most = most.unwrap_or(u64::MAX);
        let enough = most >= 1000 + BESIDES;
        ensure!(
            enough,
            "a process may open {most} files here, which is too few: raise the hard limit (`ulimit -Hn`)"
        );
        Ok(Self(most))
    }

    pub(super) fn most(&self) -> u64 {
        self.0
    }

    /// So many of `wanted` can wait at once: the server has a connection to each and one to the upstream for it.
    pub(super) fn crowd(&self, wanted: usize) -> usize {
        let most = (self.0 - BESIDES) / 2;
        wanted.min(usize::try_from(most).unwrap_or(wanted))
    }
}
