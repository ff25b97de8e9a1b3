//! Where reports lie.

use crate::Report;
use anyhow::Context as _;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder with a JSON file for each experiment.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The folder at a path; it is made when something is written.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where it lies.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a report in the place of the experiment's last one, and gives the file.
    ///
    /// # Errors
    /// When the folder or the file cannot be written, or a number of the report is none (JSON has no
    /// word for it, so it could not be read again).
    pub fn write(&self, report: &Report) -> anyhow::Result<PathBuf> {
        let text = serde_json::to_string_pretty(report)? + "\n";
        serde_json::from_str::<Report>(&text).with_context(|| {
            format!(
                "the report of {} holds a number that is none",
                report.experiment
            )
        })?;
        let path = self.path.join(format!("{}.json", report.experiment));
        fs::create_dir_all(&self.path)
            .and_then(|()| fs::write(&path, text))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }

    /// Every report that lies here, in the order of their names; none if there is no folder.
    ///
    /// # Errors
    /// When a file cannot be read or is not a report; the error names it.
    pub fn read(&self) -> anyhow::Result<Vec<Report>> {
        if !self.path.exists() {
            return Ok(Vec::new());
        }
        let mut paths = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let path = entry?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "json")
            {
                paths.push(path);
            }
        }
        paths.sort();
        paths.iter().map(|path| one(path)).collect()
    }
}

fn one(path: &Path) -> anyhow::Result<Report> {
    let read = fs::read_to_string(path).map_err(anyhow::Error::from);
    read.and_then(|text| Ok(serde_json::from_str(&text)?))
        .with_context(|| format!("{} is not a report", path.display()))
}
