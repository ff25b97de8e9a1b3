//! Lines over an axis of numbers, from zero up.

use super::canvas::{Canvas, wide};
use super::legend;
use crate::{Series, number};

const LEFT: f64 = 52.0;
/// For half of the last label.
const RIGHT: f64 = 28.0;
const HIGH: f64 = 240.0;

/// Draws a line for each series.
pub(super) fn draw(canvas: &mut Canvas, x: &str, at: &[f64], series: &[Series]) {
    legend::draw(canvas, 'l', series);
    canvas.down(8.0);
    let area = Area::new(canvas, at, series);
    area.grid(canvas);
    area.places(canvas, at);
    for (index, one) in series.iter().enumerate() {
        let points: Vec<_> = at
            .iter()
            .zip(&one.values)
            .map(|(&at, &value)| [area.x(at), area.y(value)])
            .collect();
        canvas.way(&legend::colour('l', index, series), &points);
        for point in points {
            canvas.dot(&legend::colour('s', index, series), point);
        }
    }
    let (middle, foot) = (f64::midpoint(LEFT, canvas.width), canvas.y + HIGH + 38.0);
    canvas.text("muted middle", middle, foot, x);
    canvas.down(HIGH + 46.0);
}

/// Where numbers lie.
struct Area {
    top: f64,
    /// From the left end to the right, in units of the picture.
    wide: f64,
    first: f64,
    last: f64,
    /// Between two lines of the grid.
    step: f64,
    /// The uppermost line of the grid.
    most: f64,
    logarithmic: bool,
}

impl Area {
    fn new(canvas: &Canvas, at: &[f64], series: &[Series]) -> Self {
        let values = series.iter().flat_map(|one| one.values.iter().copied());
        let step = step(values.clone().fold(0.0, f64::max));
        let most = values.fold(step, |most, value| most.max((value / step).ceil() * step));
        let (first, last) = (
            at.first().copied().unwrap_or(0.0),
            at.last().copied().unwrap_or(1.0),
        );
        Self {
            top: canvas.y,
            wide: canvas.width - LEFT - RIGHT,
            first,
            last,
            step,
            most,
            logarithmic: first > 0.0 && last / first >= 20.0,
        }
    }

    fn x(&self, value: f64) -> f64 {
        let scale = |value: f64| if self.logarithmic { value.ln() } else { value };
        let span = scale(self.last) - scale(self.first);
        let part = if span > 0.0 {
            (scale(value) - scale(self.first)) / span
        } else {
            0.5
        };
        self.wide.mul_add(part, LEFT)
    }

    fn y(&self, value: f64) -> f64 {
        (1.0 - value / self.most).mul_add(HIGH, self.top)
    }

    /// Lines across, with their values on the left.
    fn grid(&self, canvas: &mut Canvas) {
        let lines = (self.most / self.step).round() as usize;
        for line in 0..=lines {
            let value = self.step * line as f64;
            let y = self.y(value);
            canvas.line("grid", [LEFT, y], [canvas.width, y]);
            canvas.text("muted end", LEFT - 8.0, y + 4.0, &short(value));
        }
    }

    /// The places on the lower axis; one that would touch its neighbour has no label.
    fn places(&self, canvas: &mut Canvas, at: &[f64]) {
        let mut free = 0.0;
        for &place in at {
            let (label, x) = (short(place), self.x(place));
            let half = wide(&label) / 2.0;
            if x - half >= free {
                canvas.text("muted middle", x, canvas.y + HIGH + 18.0, &label);
                free = x + half + 8.0;
            }
        }
    }
}

/// A round distance that makes four to nine lines.
fn step(most: f64) -> f64 {
    if most <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf((most / 4.0).log10().floor());
    let times = [5.0, 2.0, 1.0]
        .into_iter()
        .find(|times| most / (times * power) >= 4.0);
    times.unwrap_or(1.0) * power
}

/// A round number without zeros behind the point.
fn short(value: f64) -> String {
    let text = number(value);
    match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_few_round_lines() {
        for most in [0.07, 1.0, 3.9, 4.0, 77.0, 99.9, 100.0, 123_456.0] {
            let lines = most / step(most);
            assert!((4.0..10.0).contains(&lines), "{most}: {lines}");
        }
        assert_eq!(
            [0.0, 20.0, 2.5, 1_000.0].map(short),
            ["0", "20", "2.5", "1,000"]
        );
    }
}
