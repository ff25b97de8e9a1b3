//! All reports as a page of the documentation site.

use crate::svg;
use crate::text::{beside_seeds, compared, goals};
use crate::{Report, Table};
use std::fmt::Write as _;

/// What stands above the figures.
const OPENING: &str = include_str!("page.md");

/// Where plots stand on a page of the site: two beside each other where there is room.
const PLACES: &str = "\
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 340px), 1fr)); gap: 24px; }
.plots .plot { width: 100%; max-width: 512px; }
";

/// Writes the page in Markdown, with the reports in the order in which they are given.
///
/// It depends on the reports alone: whoever writes it again from the same ones gets the same page, so
/// that a test can say when page and results differ.
#[must_use]
pub fn page(reports: &[Report]) -> String {
    let mut page = format!(
        "{OPENING}\n<style>\n{}{PLACES}</style>\n",
        svg::site_style()
    );
    if reports.is_empty() {
        page.push_str("\nNothing is kept yet.\n");
    }
    let verdicts = reports.iter().flat_map(|report| &report.verdicts);
    let seeds = reports.iter().flat_map(|report| &report.seeds);
    let ahead: Vec<_> = reports.iter().flat_map(Report::ahead).collect();
    if !ahead.is_empty() {
        page.push_str("\n## Where a baseline is ahead\n\n");
    }
    for line in ahead {
        writeln!(page, "- {line}").expect(TAKES);
    }
    for (title, table) in [
        ("How it stands to the goals", goals(verdicts.clone())),
        ("Compared, without a goal", compared(verdicts)),
        (
            "Beside the articles that it began with",
            beside_seeds(seeds),
        ),
    ] {
        if let Some(table) = table {
            write!(page, "\n## {title}\n\n{table}").expect(TAKES);
        }
    }
    for report in reports {
        page.push_str(&part(report));
    }
    page
}

/// Why writing to a string cannot fail.
const TAKES: &str = "a string takes what it is given";

/// One experiment: what, where, pictures, tables.
fn part(report: &Report) -> String {
    let Report {
        experiment,
        about,
        notes,
        ..
    } = report;
    let mut text = format!("\n## bench {experiment}\n\nMeasured: {about}.\n");
    for note in notes {
        write!(text, "\n{note}\n").expect(TAKES);
    }
    if report.quick {
        text.push_str("\nA quick look: its figures are no basis for goals.\n");
    }
    write!(text, "\n{}\n", report.origin()).expect(TAKES);
    if !report.plots.is_empty() {
        // In one block: a blank line would end it, and what follows would be text.
        let plots: String = report.plots.iter().map(svg::element).collect();
        write!(text, "\n<div class=\"plots\">\n{plots}</div>\n").expect(TAKES);
    }
    for table in &report.tables {
        let Table { title, .. } = table;
        write!(text, "\n### {title}\n\n{table}").expect(TAKES);
    }
    text
}
