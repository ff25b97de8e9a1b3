//! One experiment on the page.

use super::{escape, table, words};
use crate::text::{beside_seeds, compared, stands};
use crate::{Report, Standing, Verdict, svg};
use std::fmt;

/// What the page says of a report.
pub(super) struct Part<'a>(pub(super) &'a Report);

impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.0;
        let name = escape(&report.experiment);
        writeln!(
            f,
            "<section id=\"{name}\">\n<h2>{name}</h2>\n<p>{}.</p>",
            words(&report.about)
        )?;
        if report.quick {
            writeln!(
                f,
                "<p class=\"look\">A quick look: its figures are no basis for goals.</p>"
            )?;
        }
        writeln!(f, "<p class=\"small\">{}</p>", words(&report.origin()))?;
        for note in &report.notes {
            writeln!(f, "<p class=\"small\">{}</p>", words(note))?;
        }
        let bound = report.verdicts.iter().filter(|verdict| verdict.is_bound());
        held(f, "cards", &bound.map(card).collect::<String>())?;
        let plots = report.plots.iter();
        let plots = plots.map(|plot| format!("<div>{}</div>\n", svg::element(plot)));
        held(f, "plots", &plots.collect::<String>())?;
        let more = [compared(&report.verdicts), beside_seeds(&report.seeds)];
        for one in report.tables.iter().chain(more.iter().flatten()) {
            f.write_str(&table(one))?;
        }
        writeln!(f, "</section>")
    }
}

/// A box around parts, if there are any.
fn held(f: &mut fmt::Formatter<'_>, class: &str, parts: &str) -> fmt::Result {
    if parts.is_empty() {
        return Ok(());
    }
    writeln!(f, "<div class=\"{class}\">\n{parts}</div>")
}

/// A verdict: the number, its bounds, and how far it is from them.
fn card(verdict: &Verdict) -> String {
    let class = match verdict.standing() {
        Standing::Goal => "good",
        Standing::Floor => "fair",
        Standing::Short => "bad",
    };
    let bound = |name: &str, bound: Option<f64>| {
        bound.map(|bound| format!("{name} {}", verdict.with_unit(bound)))
    };
    let bounds = [bound("floor", verdict.floor), bound("goal", verdict.goal)];
    let bounds = bounds.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let small = [bounds, verdict.distance(), verdict.note.clone()];
    let small = small.iter().filter(|line| !line.is_empty());
    let small = small.map(|line| format!("<p class=\"small\">{}</p>\n", words(line)));
    format!(
        "<div class=\"card\"><h4>{}</h4>\n<p class=\"small\">against {}</p>\n\
         <p><span class=\"figure\">{}</span> <b class=\"{class}\">{}</b></p>\n{}</div>\n",
        words(&verdict.row),
        words(&verdict.against),
        escape(&verdict.measured()),
        stands(verdict),
        small.collect::<String>()
    )
}
