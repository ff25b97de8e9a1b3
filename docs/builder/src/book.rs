//! The book and the API docs, built into one folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::SystemTime;

use anyhow::Context as _;
use mdbook_driver::MDBook;

/// The folder of the site that holds the API docs.
pub(crate) const API: &str = "api";

/// Where things lie.
#[derive(Debug)]
pub(crate) struct Places {
    /// The folder with `book.toml`.
    pub(crate) book: PathBuf,
    /// What `cargo doc` wrote.
    pub(crate) api: PathBuf,
    /// What is written; emptied before.
    pub(crate) site: PathBuf,
}

/// A book that is built.
#[derive(Debug)]
pub(crate) struct Book {
    places: Places,
    /// The newest change that is in it.
    built: Mutex<SystemTime>,
}

impl Book {
    /// Builds the book, and the API docs beside it under [`API`].
    ///
    /// # Errors
    /// A page cannot be read or rendered, or the site cannot be written.
    pub(crate) fn build(places: Places) -> anyhow::Result<Self> {
        let built = newest(&places.book)?;
        render(&places)?;
        Ok(Self {
            places,
            built: Mutex::new(built),
        })
    }

    /// Where the site lies.
    pub(crate) fn site(&self) -> &Path {
        &self.places.site
    }

    /// Builds the book anew if a file of it has changed.
    ///
    /// # Errors
    /// As [`build`](Self::build); the next call then tries again.
    pub(crate) fn follow(&self) -> anyhow::Result<()> {
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = newest(&self.places.book)?;
        if newest > *built {
            render(&self.places)?;
            *built = newest;
        }
        Ok(())
    }
}

fn render(places: &Places) -> anyhow::Result<()> {
    let mut book = MDBook::load(&places.book)?;
    book.config.build.build_dir.clone_from(&places.site);
    // Some pages mark bytes for the tests that read them; the highlighter complains of what it does
    // not know.
    book.book
        .for_each_chapter_mut(|page| page.content = page.content.replace("```hex", "```text"));
    book.build()?;
    // After the book, which empties the folder.
    copy(&places.api, &places.site.join(API)).context("the API docs cannot be copied")
}

/// Links where it can: the API docs are large and nobody changes them in place.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else if fs::hard_link(entry.path(), &target).is_err() {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

/// When a file of the book was last changed.
fn newest(folder: &Path) -> std::io::Result<SystemTime> {
    let mut newest = SystemTime::UNIX_EPOCH;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let changed = if entry.file_type()?.is_dir() {
            self::newest(&entry.path())?
        } else {
            entry.metadata()?.modified()?
        };
        newest = newest.max(changed);
    }
    Ok(newest)
}
