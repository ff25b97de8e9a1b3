//! The rows of a file, whatever its format.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use super::metered::{Allowance, Metered};
use super::{Row, csv, ndjson};
use crate::settings::{Origin, Wrong};

/// How many bytes of a file a row may have; what is longer is no row. As many as a deal may have over HTTP.
pub(super) const MOST: usize = 64 * 1024;

/// A row after another, until the first that is wrong.
pub(super) type Rows = Box<dyn Iterator<Item = Result<Row, Wrong>>>;

/// Where errors of a file are said to come from.
#[derive(Debug, Clone)]
pub(super) struct Place(std::path::PathBuf);

impl Place {
    pub(super) fn line(&self, line: u64) -> Origin {
        Origin::File {
            path: self.0.clone(),
            line: line as usize,
        }
    }

    pub(super) fn wrong(&self, line: u64, field: &str, reason: impl std::fmt::Display) -> Wrong {
        Wrong::new(field, self.line(line), reason)
    }
}

/// Opens a file. If the first character that is not blank is `{` it is NDJSON, else CSV: the name does not matter.
///
/// # Errors
/// The file cannot be read or has no rows; or it is CSV and does not begin with the names of the columns.
pub(super) fn open(path: &Path) -> Result<Rows, Wrong> {
    let unreadable = |error: io::Error| {
        let reason = format!("cannot read {path:?}: {error}");
        Wrong::new("import", Origin::CommandLine, reason)
    };
    let file = File::open(path).map_err(unreadable)?;
    let allowance = Allowance::new(MOST);
    let mut file = BufReader::new(Metered::new(file, allowance.clone()));
    let place = Place(path.to_owned());
    let start = file.fill_buf().map_err(unreadable)?;
    match start.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{') => Ok(Box::new(ndjson::rows(file, allowance, place))),
        Some(_) => Ok(Box::new(csv::rows(file, allowance, place)?)),
        None => Err(place.wrong(1, "row", "there is none")),
    }
}
