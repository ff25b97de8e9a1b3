//! Plots as SVG that takes its colours from where it stands.
//!
//! Written here and not by a plotting crate: those set colours into the picture, so that each would be
//! needed twice, and neither would follow a page whose reader turns it dark.

mod bars;
mod canvas;
mod legend;
mod lines;

use crate::{Kind, Plot};
use canvas::Canvas;

const LIGHT: &str = include_str!("light.css");
const DARK: &str = include_str!("dark.css");
const FORMS: &str = include_str!("forms.css");

/// For what follows the reader's system into the dark.
pub(crate) fn style() -> String {
    format!(
        ":root {{\n{LIGHT}}}\n@media (prefers-color-scheme: dark) {{\n:root {{\n{DARK}}}\n}}\n{FORMS}"
    )
}

/// For a page of the site, whose reader chooses among themes.
pub(crate) fn site_style() -> String {
    format!("html {{\n{LIGHT}}}\nhtml:is(.navy, .coal, .ayu) {{\n{DARK}}}\n{FORMS}")
}

/// Units across. On a phone this is drawn smaller, and has to be read all the same.
const WIDTH: f64 = 420.0;

/// A plot as an element of a page that has a style for plots.
pub(crate) fn element(plot: &Plot) -> String {
    draw(plot).element(&plot.title)
}

impl Plot {
    /// The plot as an SVG file, light or dark as its reader's system is.
    #[must_use]
    pub fn svg(&self) -> String {
        draw(self).file(&self.title, &style())
    }
}

fn draw(plot: &Plot) -> Canvas {
    let mut canvas = Canvas::new(WIDTH);
    canvas.lines("title", 19.0, &plot.title);
    canvas.lines("muted", 16.0, &plot.y);
    canvas.down(10.0);
    match &plot.kind {
        Kind::Bars { groups } => bars::draw(&mut canvas, groups, &plot.series),
        Kind::Lines { x, at } => lines::draw(&mut canvas, x, at, &plot.series),
    }
    canvas
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(groups: &[&str]) -> Plot {
        let plot = Plot::bars("TPS <at once>", "requests a second", groups.to_vec());
        let values = |first: f64| groups.iter().map(|_| first).collect::<Vec<_>>();
        plot.series("pool & lock", values(50.0))
            .ours("larder", values(100.0))
    }

    #[test]
    fn names_are_text_and_never_markup() {
        let text = bars(&["30 users", "50 users"]).svg();
        assert!(
            text.contains("TPS &lt;at once&gt;") && text.contains("pool &amp; lock"),
            "{text}"
        );
    }

    #[test]
    fn a_long_title_takes_more_lines() {
        let lines = |title: &str| {
            let text = element(&Plot::bars(title, "ms", [""]).ours("larder", [1.0]));
            text.matches("class=\"title\"").count()
        };
        assert_eq!((lines("Short"), lines(&"a word ".repeat(16))), (1, 3));
    }

    #[test]
    fn a_bar_is_as_long_as_its_value() {
        let text = element(&bars(&[""]));
        let width = |class: &str| {
            let (_, rest) = text.split_once(&format!("class=\"{class}\""))?;
            let (_, rest) = rest.split_once("width=\"")?;
            rest.split('"').next()?.parse::<f64>().ok()
        };
        let (other, ours) = (width("other"), width("s0"));
        assert_eq!(
            other.zip(ours).map(|(other, ours)| (ours / other).round()),
            Some(2.0)
        );
    }

    #[test]
    fn a_picture_stands_alone_or_in_a_page() {
        let plot = Plot::lines("Hits", "capacity", "%", [10.0, 1_000.0]);
        let plot = plot.ours("larder", [10.0, 70.0]);
        assert!(plot.svg().contains("prefers-color-scheme: dark"));
        let inside = element(&plot);
        assert!(
            !inside.contains("<style>") && !inside.contains("\n\n"),
            "{inside}"
        );
        assert!(inside.starts_with("<svg") && inside.trim_end().ends_with("</svg>"));
    }
}
