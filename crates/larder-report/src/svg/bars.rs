//! Bars, lying, so that a name has all the room above its bar.

use super::canvas::{Canvas, wide};
use super::legend;
use crate::{Series, number};

const THICK: f64 = 15.0;

/// Draws a bar for each series in each group.
pub(super) fn draw(canvas: &mut Canvas, groups: &[String], series: &[Series]) {
    let all = || series.iter().flat_map(|one| one.values.iter().copied());
    let most = all().fold(0.0, f64::max);
    let label = all().map(|value| wide(&number(value))).fold(0.0, f64::max);
    let room = canvas.width - label - 8.0;
    let length = |value: f64| {
        if most > 0.0 {
            (value / most * room).max(1.0)
        } else {
            1.0
        }
    };
    let alone = groups.len() == 1;
    if !alone && series.len() > 1 {
        legend::draw(canvas, 's', series);
    }
    for (group, name) in groups.iter().enumerate() {
        if !name.is_empty() {
            heading(canvas, name);
        }
        for (at, one) in series.iter().enumerate() {
            if alone {
                heading(canvas, &one.name);
            }
            let class = class(alone, at, series);
            let (y, length) = (canvas.y, length(one.values[group]));
            canvas.bar(&class, [0.0, y], [length, THICK]);
            canvas.text("value", length + 6.0, y + 12.0, &number(one.values[group]));
            canvas.down(THICK + if alone { 9.0 } else { 4.0 });
        }
        canvas.down(10.0);
    }
}

fn heading(canvas: &mut Canvas, words: &str) {
    let y = canvas.y + 12.0;
    canvas.text("name", 0.0, y, words);
    canvas.down(17.0);
}

/// With the names beside the bars only ours needs a colour of its own.
fn class(alone: bool, at: usize, series: &[Series]) -> String {
    if alone && !series[at].ours && series.iter().any(|one| one.ours) {
        "other".to_owned()
    } else if alone {
        "s0".to_owned()
    } else {
        legend::colour('s', at, series)
    }
}
