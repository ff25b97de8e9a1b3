//! A table: a title, columns, rows of text.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A table of a report.
///
/// Cells are text, so that each says its number with the digits that it deserves; see
/// [`number`](crate::number). `Display` writes it as Markdown whose columns stand below each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Table {
    /// What the rows are about, with the unit if they share one.
    pub title: String,
    /// The heads.
    pub columns: Vec<String>,
    /// One cell a column each.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new<C: Into<String>>(
        title: impl Into<String>,
        columns: impl IntoIterator<Item = C>,
    ) -> Self {
        Self {
            title: title.into(),
            columns: columns.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// When it has more or fewer cells than there are columns.
    pub fn row<C: Into<String>>(&mut self, cells: impl IntoIterator<Item = C>) {
        let row: Vec<_> = cells.into_iter().map(Into::into).collect();
        assert_eq!(row.len(), self.columns.len(), "cells of `{}`", self.title);
        self.rows.push(row);
    }

    /// Without the last column if nothing stands in it.
    pub(crate) fn without_empty_end(mut self) -> Self {
        let empty = |row: &Vec<String>| row.last().is_some_and(String::is_empty);
        if self.rows.iter().all(empty) {
            self.columns.pop();
            self.rows.iter_mut().for_each(|row| drop(row.pop()));
        }
        self
    }

    /// Whether a column holds numbers, with a unit or without, which stand to the right.
    pub(crate) fn is_numeric(&self, column: usize) -> bool {
        let cells = || self.rows.iter().map(|row| row[column].as_str());
        let number = |cell: &str| {
            let begins = cell.starts_with(|first: char| first.is_ascii_digit() || first == '-');
            cell.is_empty() || begins && cell.split(' ').count() <= 2
        };
        cells().all(number) && cells().any(|cell| !cell.is_empty())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wide = |cell: &String| cell.chars().count();
        let widths: Vec<_> = (0..self.columns.len())
            .map(|at| {
                let cells = self.rows.iter().map(|row| wide(&row[at]));
                cells.fold(wide(&self.columns[at]).max(3), usize::max)
            })
            .collect();
        let right: Vec<_> = (0..widths.len()).map(|at| self.is_numeric(at)).collect();
        let line = |f: &mut fmt::Formatter<'_>, cells: &[String]| {
            for ((cell, &width), &right) in cells.iter().zip(&widths).zip(&right) {
                if right {
                    write!(f, "| {cell:>width$} ")?;
                } else {
                    write!(f, "| {cell:<width$} ")?;
                }
            }
            writeln!(f, "|")
        };
        line(f, &self.columns)?;
        for (&width, &right) in widths.iter().zip(&right) {
            let dashes = "-".repeat(width - usize::from(right));
            write!(f, "| {dashes}{} ", if right { ":" } else { "" })?;
        }
        writeln!(f, "|")?;
        self.rows.iter().try_for_each(|row| line(f, row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_each_other_and_numbers_to_the_right() {
        let mut table = Table::new("a title", ["cache", "ns"]);
        table.row(["larder", "18.5"]);
        table.row(["quick_cache é", "9"]);
        let expected = "| cache         |   ns |\n| ------------- | ---: |\n\
                        | larder        | 18.5 |\n| quick_cache é |    9 |\n";
        assert_eq!(table.to_string(), expected);
    }

    #[test]
    #[should_panic(expected = "cells of `a title`")]
    fn a_row_that_is_too_short_is_refused() {
        Table::new("a title", ["cache", "ns"]).row(["larder"]);
    }

    #[test]
    fn an_empty_end_goes() {
        let mut table = Table::new("a title", ["what", "note"]);
        table.row(["a", ""]);
        let full = |mut table: Table| {
            table.row(["b", "a note"]);
            table.without_empty_end().columns.len()
        };
        assert_eq!(
            (table.clone().without_empty_end().columns.len(), full(table)),
            (1, 2)
        );
    }

    #[test]
    fn words_are_no_numbers_because_they_begin_with_one() {
        let mut table = Table::new("a title", ["measured", "distance", "note"]);
        table.row(["112 bytes", "2× beyond the goal", ""]);
        table.row(["", "", ""]);
        assert_eq!(
            [0, 1, 2].map(|at| table.is_numeric(at)),
            [true, false, false]
        );
    }
}
