//! Hits of one subject and nothing else, for who counts what they take.

use std::hint::black_box;
use std::sync::Arc;

use anyhow::{Context as _, ensure};

use super::keys::Keys;
use super::subjects::{SUBJECTS, Subjects, loads};

/// What is to be hit, and how often.
pub(crate) struct Hits {
    /// One of [`PROFILED`](super::PROFILED).
    pub(crate) subject: &'static str,
    pub(crate) entries: usize,
    /// Random keys.
    pub(crate) keys: usize,
    /// How often each is asked for.
    pub(crate) passes: usize,
}

/// Fills the caches and asks for the keys.
///
/// # Errors
/// Something else than hits happened.
pub(crate) fn hits(wanted: &Hits) -> anyhow::Result<()> {
    let subjects = Arc::new(Subjects::new());
    let subject = SUBJECTS.iter().find(|one| one.name == wanted.subject);
    let subject = subject.context("no such subject")?;
    smol::block_on(smol::spawn(
        Arc::clone(&subjects).fill_only(wanted.subject, wanted.entries),
    ))?;
    let keys = Keys::random(wanted.entries, wanted.keys);
    let before = loads();
    for _ in 0..wanted.passes {
        let found = black_box(smol::block_on((subject.pass)(&subjects, &keys)));
        ensure!(found == keys.len(), "{found} of {} found", keys.len());
    }
    ensure!(loads() == before, "loads among the hits");
    Ok(())
}
