//! How far a run is, on a terminal; where there is none, nothing.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on standard error for so many steps, with the time that is left; silent when that is no
/// terminal. Call [`inc`](ProgressBar::inc) after a step; it goes away when it is dropped.
///
/// `what` stands before it and can be changed by [`set_message`](ProgressBar::set_message).
pub(crate) fn bar(what: &'static str, steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg:24} [{bar:32}] {pos}/{len}, {eta} left");
    let style = style.expect("a template of ours").progress_chars("=> ");
    let bar = ProgressBar::new(steps as u64).with_message(what);
    bar.with_style(style)
}
