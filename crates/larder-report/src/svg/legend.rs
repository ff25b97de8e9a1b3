//! Which colour is whose.

use super::canvas::{Canvas, wide};
use crate::Series;

/// Colours that there are.
const COLOURS: usize = 8;

/// The class of a series' colour, with `s` for areas and `l` for lines.
pub(super) fn colour(kind: char, at: usize) -> String {
    format!("{kind}{}", at % COLOURS)
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
        let class = colour(kind, at);
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
