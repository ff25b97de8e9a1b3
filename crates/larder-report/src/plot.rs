//! What is drawn of a table.

use serde::{Deserialize, Serialize};

/// A picture of a report, as its numbers; a renderer draws it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Plot {
    /// What is seen.
    pub title: String,
    /// What the values are, with the unit: "requests a second".
    pub y: String,
    /// Bars or lines, and what they stand on.
    pub kind: Kind,
    /// What is compared; the order is kept.
    pub series: Vec<Series>,
}

/// The form of a [`Plot`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// For each group a bar a series: "30 users", "50 users".
    Bars {
        /// The groups' names.
        groups: Vec<String>,
    },
    /// For each series a line through its values.
    Lines {
        /// What stands on the lower axis, with the unit: "capacity, entries".
        x: String,
        /// Where on it the values lie, rising.
        at: Vec<f64>,
    },
}

/// The values of one subject, one for each group or place of its [`Plot`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Series {
    /// The subject.
    pub name: String,
    /// Whether it is larder, which then stands out.
    #[serde(default)]
    pub ours: bool,
    /// Finite and not below zero.
    pub values: Vec<f64>,
}

impl Plot {
    /// Bars in groups; one group without a name is fine.
    pub fn bars<G: Into<String>>(
        title: impl Into<String>,
        y: impl Into<String>,
        groups: impl IntoIterator<Item = G>,
    ) -> Self {
        let groups = groups.into_iter().map(Into::into).collect();
        Self::new(title.into(), y.into(), Kind::Bars { groups })
    }

    /// Lines through places on a lower axis, which is drawn logarithmic if the places span much.
    pub fn lines(
        title: impl Into<String>,
        x: impl Into<String>,
        y: impl Into<String>,
        at: impl Into<Vec<f64>>,
    ) -> Self {
        let (x, at) = (x.into(), at.into());
        Self::new(title.into(), y.into(), Kind::Lines { x, at })
    }

    fn new(title: String, y: String, kind: Kind) -> Self {
        Self {
            title,
            y,
            kind,
            series: Vec::new(),
        }
    }

    /// Adds a subject with its values.
    ///
    /// # Panics
    /// When there are more or fewer than groups or places, or one is below zero, infinite or none.
    #[must_use]
    pub fn series(self, name: impl Into<String>, values: impl Into<Vec<f64>>) -> Self {
        self.subject(name, values, false)
    }

    /// Adds a subject that is larder, which stands out where bars have no legend.
    ///
    /// # Panics
    /// As [`series`](Self::series).
    #[must_use]
    pub fn ours(self, name: impl Into<String>, values: impl Into<Vec<f64>>) -> Self {
        self.subject(name, values, true)
    }

    /// Adds a subject, and says whether it is larder.
    ///
    /// # Panics
    /// As [`series`](Self::series).
    #[must_use]
    pub fn subject(
        mut self,
        name: impl Into<String>,
        values: impl Into<Vec<f64>>,
        ours: bool,
    ) -> Self {
        let (name, values) = (name.into(), values.into());
        assert_eq!(values.len(), self.places(), "values of `{name}`");
        let drawn = values
            .iter()
            .all(|value| value.is_finite() && *value >= 0.0);
        assert!(drawn, "a value of `{name}` cannot be drawn: {values:?}");
        self.series.push(Series { name, ours, values });
        self
    }

    /// How many values each series has.
    fn places(&self) -> usize {
        match &self.kind {
            Kind::Bars { groups } => groups.len(),
            Kind::Lines { at, .. } => at.len(),
        }
    }
}
