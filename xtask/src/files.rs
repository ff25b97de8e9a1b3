//! The files of the checkout, without git: an unpacked archive is checked like a clone.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What holds nothing of ours, at whatever depth; in a worktree `.git` is a file.
const FOREIGN: &[&str] = &[".git", "target"];

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    // Set by `cargo run` and `cargo test`; the compiled-in one would be wrong in a checkout that
    // was moved.
    let manifest =
        std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&manifest)
        .parent()
        .map_or_else(|| PathBuf::from("."), Path::to_owned)
}

/// A text file of the checkout.
#[derive(Debug)]
pub(crate) struct File {
    /// Where it lies below the root, with `/` between the parts.
    pub(crate) path: String,
    /// What stands in it.
    pub(crate) text: String,
}

impl File {
    /// Whether the name ends so.
    pub(crate) fn is(&self, extension: &str) -> bool {
        Path::new(&self.path)
            .extension()
            .is_some_and(|found| found == extension)
    }

    /// Whether it lies in a folder of this name, at whatever depth.
    pub(crate) fn is_below(&self, folder: &str) -> bool {
        Path::new(&self.path)
            .parent()
            .is_some_and(|parent| parent.iter().any(|part| part == folder))
    }
}

/// Every text file below `root`, in the order of their paths; what is not UTF-8 is left out.
///
/// # Errors
/// When a folder or a file cannot be read.
pub(crate) fn all(root: &Path) -> io::Result<Vec<File>> {
    let mut found = Vec::new();
    collect(root, root, &mut found)?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<File>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if FOREIGN.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            collect(root, &path, found)?;
        } else if let Ok(text) = String::from_utf8(fs::read(&path)?) {
            let below = path.strip_prefix(root).unwrap_or(&path);
            let path = below
                .iter()
                .map(|part| part.to_string_lossy())
                .collect::<Vec<_>>()
                .join("/");
            found.push(File { path, text });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checkout_is_found_and_its_target_folder_is_not() {
        let files = all(&root()).expect("readable");
        assert!(files.iter().any(|file| file.path == "xtask/src/files.rs"));
        assert!(
            files
                .iter()
                .all(|file| !file.is_below("target") && !file.is_below(".git"))
        );
    }

    #[test]
    fn a_file_knows_its_kind_and_folders() {
        let file = File {
            path: "crates/larder/tests/ui/a.rs".to_owned(),
            text: String::new(),
        };
        assert!(
            file.is("rs")
                && file.is_below("tests")
                && !file.is_below("src")
                && !file.is_below("a.rs")
        );
    }
}
