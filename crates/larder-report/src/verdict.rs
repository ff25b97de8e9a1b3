//! How a measured number stands to its goal.

use crate::number;
use serde::{Deserialize, Serialize};

/// One row of the table of goals, as a run found it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Verdict {
    /// What was measured: "hit through `#[cacheable]`".
    pub row: String,
    /// The baseline: "raw quick_cache get".
    pub against: String,
    /// Ours, as a multiple of the baseline unless [`unit`](Self::unit) says otherwise.
    pub ratio: f64,
    /// What the baseline itself has in that unit; 1 for a multiple.
    pub level: f64,
    /// "×", or another unit.
    pub unit: String,
    /// Which way is good.
    pub better: Better,
    /// Beyond it the build is not to be shipped.
    pub floor: Option<f64>,
    /// What is aimed at.
    pub goal: Option<f64>,
    /// What a reader must know to judge it; may be empty.
    pub note: String,
}

/// Which way a number is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Better {
    /// More is better: requests a second.
    Higher,
    /// Less is better: time, bytes.
    Lower,
}

/// Where a [`Verdict`] has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// At the goal or beyond.
    Goal,
    /// At the floor or beyond, short of the goal.
    Floor,
    /// Short of the floor.
    Short,
}

/// A side of a bound.
enum Side {
    Beyond,
    At,
    Short,
}

impl Verdict {
    /// A multiple of the baseline of which more is better.
    pub fn higher(row: impl Into<String>, against: impl Into<String>, ratio: f64) -> Self {
        Self::new(row.into(), against.into(), ratio, Better::Higher)
    }

    /// A multiple of the baseline of which less is better.
    pub fn lower(row: impl Into<String>, against: impl Into<String>, ratio: f64) -> Self {
        Self::new(row.into(), against.into(), ratio, Better::Lower)
    }

    fn new(row: String, against: String, ratio: f64, better: Better) -> Self {
        Self {
            row,
            against,
            ratio,
            level: 1.0,
            unit: "×".to_owned(),
            better,
            floor: None,
            goal: None,
            note: String::new(),
        }
    }

    /// The number is not a multiple, but in this unit; `level` is what the baseline has in it.
    #[must_use]
    pub fn unit(mut self, unit: impl Into<String>, level: f64) -> Self {
        self.unit = unit.into();
        self.level = level;
        self
    }

    /// What it must keep.
    #[must_use]
    pub const fn floor(mut self, floor: f64) -> Self {
        self.floor = Some(floor);
        self
    }

    /// What it should reach.
    #[must_use]
    pub const fn goal(mut self, goal: f64) -> Self {
        self.goal = Some(goal);
        self
    }

    /// What a reader must know to judge it.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// Where it has come to; a bound that is not set is kept.
    #[must_use]
    pub fn standing(&self) -> Standing {
        let kept = |bound: Option<f64>| bound.is_none_or(|bound| self.beyond(bound) >= 1.0);
        if !kept(self.floor) {
            Standing::Short
        } else if kept(self.goal) {
            Standing::Goal
        } else {
            Standing::Floor
        }
    }

    /// Whether there is a floor or a goal.
    pub(crate) fn is_bound(&self) -> bool {
        self.floor.or(self.goal).is_some()
    }

    /// How many times better than `bound` the number is; below 1 it is worse.
    fn beyond(&self, bound: f64) -> f64 {
        match self.better {
            Better::Higher => self.ratio / bound,
            Better::Lower => bound / self.ratio,
        }
    }

    /// The distance to floor and goal in words.
    #[must_use]
    pub fn distance(&self) -> String {
        let to = |name: &str, bound: f64| match self.times(bound) {
            (Side::At, _) => format!("at the {name}"),
            (Side::Beyond, times) => format!("{times} beyond the {name}"),
            (Side::Short, times) => format!("{times} short of the {name}"),
        };
        let floor = self.floor.map(|floor| to("floor", floor));
        let goal = self.goal.map(|goal| to("goal", goal));
        floor.into_iter().chain(goal).collect::<Vec<_>>().join(", ")
    }

    /// A bound with the distance to it.
    pub(crate) fn bound(&self, bound: f64) -> String {
        let side = match self.times(bound) {
            (Side::At, _) => "met".to_owned(),
            (Side::Beyond, times) => format!("{times} beyond"),
            (Side::Short, times) => format!("{times} short"),
        };
        format!("{}, {side}", self.with_unit(bound))
    }

    /// On which side of a bound it is, and how many times.
    fn times(&self, bound: f64) -> (Side, String) {
        match self.beyond(bound) {
            times if (times - 1.0).abs() < 0.005 => (Side::At, String::new()),
            times if times > 1.0 => (Side::Beyond, format!("{times:.2}×")),
            times => (Side::Short, format!("{:.2}×", 1.0 / times)),
        }
    }

    /// Says so if the baseline is ahead of ours.
    #[must_use]
    pub fn ahead(&self) -> Option<String> {
        let times = self.beyond(self.level);
        let Self { row, against, .. } = self;
        (times < 0.995).then(|| {
            let times = number(1.0 / times);
            format!("{against} is ahead by a factor of {times}: {row}.")
        })
    }

    /// The number with its unit.
    #[must_use]
    pub fn measured(&self) -> String {
        self.with_unit(self.ratio)
    }

    /// A number of the same kind with its unit.
    pub(crate) fn with_unit(&self, value: f64) -> String {
        let gap = if self.unit == "×" { "" } else { " " };
        format!("{}{gap}{}", number(value), self.unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_or_less_is_better_as_it_says() {
        let more = |ratio| Verdict::higher("TPS", "a pool", ratio).floor(2.0).goal(3.5);
        let stands = [1.9, 2.0, 3.4, 3.5].map(|ratio| more(ratio).standing());
        use Standing::{Floor, Goal, Short};
        assert_eq!(stands, [Short, Floor, Floor, Goal]);
        let less = |ratio| Verdict::lower("a hit", "raw", ratio).floor(2.0).goal(1.4);
        let stands = [2.1, 2.0, 1.5, 1.4].map(|ratio| less(ratio).standing());
        assert_eq!(stands, [Short, Floor, Floor, Goal]);
    }

    #[test]
    fn the_distance_is_a_factor_either_way() {
        let verdict = Verdict::lower("a hit", "raw", 1.75).floor(2.0).goal(1.4);
        assert_eq!(
            verdict.distance(),
            "1.14× beyond the floor, 1.25× short of the goal"
        );
        let verdict = Verdict::higher("TPS", "a pool", 5.0).floor(2.5).goal(5.0);
        assert_eq!(verdict.distance(), "2.00× beyond the floor, at the goal");
    }

    #[test]
    fn a_baseline_that_is_ahead_is_named() {
        let behind = Verdict::lower("a hit", "raw quick_cache", 1.9);
        let words = "raw quick_cache is ahead by a factor of 1.90: a hit.";
        assert_eq!(behind.ahead().as_deref(), Some(words));
        assert_eq!(Verdict::lower("a hit", "moka", 0.2).ahead(), None);
        assert_eq!(Verdict::higher("TPS", "a pool", 1.2).ahead(), None);
        assert!(Verdict::higher("TPS", "a pool", 0.8).ahead().is_some());
        let room = Verdict::lower("an entry", "raw quick_cache", 112.0).unit("bytes", 59.0);
        assert!(room.ahead().is_some_and(|words| words.contains("1.90")));
        assert_eq!(room.measured(), "112 bytes");
    }
}
