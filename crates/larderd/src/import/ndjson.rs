//! A deal a line, as JSON.

use std::io::BufRead;

use larder_domain::{Deal, JsonError};

use super::Row;
use super::metered::Allowance;
use super::rows::Place;
use crate::settings::Wrong;

/// The rows of a file; blank lines are none.
pub(super) fn rows(
    mut file: impl BufRead,
    allowance: Allowance,
    place: Place,
) -> impl Iterator<Item = Result<Row, Wrong>> {
    let mut text = Vec::new();
    let mut line = 0;
    std::iter::from_fn(move || {
        loop {
            text.clear();
            line += 1;
            allowance.grant();
            match file.read_until(b'\n', &mut text) {
                Ok(0) => return None,
                Ok(_) if text.trim_ascii().is_empty() => {}
                Ok(_) => return Some(row(&text, line, &place)),
                Err(error) => return Some(Err(place.wrong(line, "row", error))),
            }
        }
    })
}

fn row(text: &[u8], line: u64, place: &Place) -> Result<Row, Wrong> {
    match Deal::from_json(text) {
        Ok(deal) => {
            let origin = place.line(line);
            Ok(Row { deal, origin })
        }
        Err(JsonError::Field { field, reason }) => Err(place.wrong(line, &field, reason)),
        Err(JsonError::Syntax { reason, column, .. }) => {
            let reason = format!("not JSON: {reason} at byte {column}");
            Err(place.wrong(line, "row", reason))
        }
        Err(error) => Err(place.wrong(line, "row", error)),
    }
}
