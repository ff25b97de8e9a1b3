//! Which colour is whose.

use super::canvas::{Canvas, wide};
use crate::Series;

/// Colours that there are.
const COLOURS: usize = 8;

/// The class of a series' colour, with `s` for areas and `l` for lines: the first one is larder's, in
/// every picture, if it is in it once.
pub(super) fn colour(kind: char, at: usize, series: &[Series]) -> String {
    let mut ours = (0..series.len()).filter(|&at| series[at].ours);
    let place = match (ours.next(), ours.next()) {
        (Some(only), None) if at == only => 0,
        (Some(only), None) if at < only => at + 1,
        _ => at,
    };
    format!("{kind}{}", place % COLOURS)
}

/// Draws the names beside their colours, in as many rows as they need.
pub(super) fn draw(canvas: &mut Canvas, kind: char, series: &[Series]) {
    const SAMPLE: f64 = 22.0;
    const GAP: f64 = 16.0;
    const ROW: f64 = 20.0;
    let mut x = 0.0;
    for (at, one) in series.iter().enumerate() {
        let width = SAMPLE + 6.0 + wide(&one.name);
        if x > 0.0 && x + width > canvas.width {
            x = 0.0;
            canvas.down(ROW);
        }
        let class = colour(kind, at, series);
        let y = canvas.y;
        if kind == 'l' {
            canvas.way(&class, &[[x, y + 8.0], [x + SAMPLE, y + 8.0]]);
        } else {
            canvas.bar(&class, [x, y + 2.0], [SAMPLE, 12.0]);
        }
        canvas.text("name", x + SAMPLE + 6.0, y + 12.0, &one.name);
        x += width + GAP;
    }
    canvas.down(ROW + 6.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Plot;

    #[test]
    fn larder_has_the_first_colour_wherever_it_stands() {
        let plot = Plot::bars("TPS", "", [""])
            .series("a", [1.0])
            .series("b", [1.0]);
        let colours = |plot: &Plot| {
            let series = &plot.series;
            (0..series.len())
                .map(|at| colour('s', at, series))
                .collect::<Vec<_>>()
        };
        assert_eq!(colours(&plot), ["s0", "s1"]);
        let plot = plot.ours("larder", [1.0]).series("c", [1.0]);
        assert_eq!(colours(&plot), ["s1", "s2", "s0", "s3"]);
        assert_eq!(
            colours(&plot.ours("larder, near", [1.0])),
            ["s0", "s1", "s2", "s3", "s4"]
        );
    }
}
