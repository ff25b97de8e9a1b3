//! Shapes of a picture, from the top down.

use crate::html::escape;
use std::fmt::Write as _;

/// Average width of a letter at the size of labels.
const LETTER: f64 = 7.7;

/// What tells a file from a picture in a page.
const NAMESPACE: &str = " xmlns=\"http://www.w3.org/2000/svg\"";

/// A picture that grows downwards.
pub(super) struct Canvas {
    pub(super) width: f64,
    /// Where the next part begins.
    pub(super) y: f64,
    body: String,
}

impl Canvas {
    pub(super) const fn new(width: f64) -> Self {
        Self {
            width,
            y: 0.0,
            body: String::new(),
        }
    }

    /// The next part begins so much further down.
    pub(super) fn down(&mut self, by: f64) {
        self.y += by;
    }

    /// Words whose foot stands at `y` of the whole picture.
    pub(super) fn text(&mut self, class: &str, x: f64, y: f64, words: &str) {
        let words = escape(words);
        self.push(format_args!(
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{words}</text>"
        ));
    }

    /// Words from the left end on, in as many lines as they need; the next part begins below.
    pub(super) fn lines(&mut self, class: &str, high: f64, words: &str) {
        // Titles are larger and bold.
        let fit = (self.width / (LETTER * 1.15)) as usize;
        let mut lines = vec![String::new()];
        for word in words.split_whitespace() {
            let line = lines.last_mut().expect("there is one from the start");
            if !line.is_empty() && line.chars().count() + word.chars().count() >= fit {
                lines.push(word.to_owned());
            } else {
                line.push_str(if line.is_empty() { "" } else { " " });
                line.push_str(word);
            }
        }
        for line in lines {
            self.down(high);
            self.text(class, 0.0, self.y - 4.0, &line);
        }
    }

    pub(super) fn bar(&mut self, class: &str, [x, y]: [f64; 2], [width, height]: [f64; 2]) {
        self.push(format_args!(
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"2\"/>"
        ));
    }

    pub(super) fn line(&mut self, class: &str, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
        self.push(format_args!(
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        ));
    }

    pub(super) fn dot(&mut self, class: &str, [x, y]: [f64; 2]) {
        self.push(format_args!(
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>"
        ));
    }

    pub(super) fn way(&mut self, class: &str, points: &[[f64; 2]]) {
        let points: Vec<_> = points
            .iter()
            .map(|[x, y]| format!("{x:.1},{y:.1}"))
            .collect();
        let points = points.join(" ");
        self.push(format_args!(
            "<polyline class=\"{class}\" points=\"{points}\"/>"
        ));
    }

    fn push(&mut self, shape: std::fmt::Arguments<'_>) {
        writeln!(self.body, "{shape}").expect("a string takes what it is given");
    }

    /// The picture for a page that holds the style.
    pub(super) fn element(&self, title: &str) -> String {
        self.whole("", title, "")
    }

    /// The picture as a file.
    pub(super) fn file(&self, title: &str, style: &str) -> String {
        self.whole(NAMESPACE, title, &format!("<style>\n{style}</style>\n"))
    }

    fn whole(&self, namespace: &str, title: &str, style: &str) -> String {
        let (width, height, title) = (self.width, self.y.ceil(), escape(title));
        let body = &self.body;
        format!(
            "<svg{namespace} class=\"plot\" role=\"img\" viewBox=\"0 0 {width} {height}\">\n\
             <title>{title}</title>\n{style}{body}</svg>\n"
        )
    }
}

/// How wide words are, about.
pub(super) fn wide(words: &str) -> f64 {
    words.chars().count() as f64 * LETTER
}
