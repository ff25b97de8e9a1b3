//! One measured number with what it belongs to.

use std::fmt;

/// What one process found for one subject and size.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    pub(super) subject: String,
    /// Resident entries.
    pub(super) size: usize,
    /// Median time of a hit.
    pub(super) nanoseconds: f64,
    /// Median of the rounds' ratios to the subject that it is compared with.
    pub(super) ratio: f64,
    /// Allocations per hit.
    pub(super) allocations: f64,
}

impl Figure {
    /// Reads the line that `Display` writes.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let mut parts = line.split('\t');
        let figure = Self {
            subject: parts.next()?.to_owned(),
            size: parts.next()?.parse().ok()?,
            nanoseconds: parts.next()?.parse().ok()?,
            ratio: parts.next()?.parse().ok()?,
            allocations: parts.next()?.parse().ok()?,
        };
        parts.next().is_none().then_some(figure)
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            subject,
            size,
            nanoseconds,
            ratio,
            allocations,
        } = self;
        write!(
            f,
            "{subject}\t{size}\t{nanoseconds}\t{ratio}\t{allocations}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_survives_the_pipe() {
        let figure = Figure {
            subject: "a (b)".to_owned(),
            size: 1_000,
            nanoseconds: 18.25,
            ratio: 1.4,
            allocations: 0.0,
        };
        assert_eq!(Figure::parse(&figure.to_string()), Some(figure));
        assert_eq!(Figure::parse("a\t1\t2"), None);
    }
}
