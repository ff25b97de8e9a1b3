//! When a value is refreshed before its end.

use std::time::Duration;

use crate::lifetime::Dice;

/// When a value is loaded anew before its end, in the background, so that no caller waits for it.
///
/// The moment is fixed when the value is stored. The first call after it starts the refresh and
/// gets the value that is there; a value that nobody asks for is not refreshed. Until the refresh
/// has ended everybody gets what is there, and a real miss joins it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Refresh {
    /// When this part of its ttl has passed, above 0 and below 1: `0.8` of five minutes is after
    /// four.
    At(f64),
    /// At random, the more likely the nearer the end is and the longer the load took: so that many
    /// values, or one value on many nodes, are not refreshed at one moment. `beta` above 1 is
    /// earlier, below 1 later; 1 is a good start.
    ///
    /// A value whose load took `cost` is due `cost × beta × −ln(random)` before its end, as in
    /// "Optimal Probabilistic Cache Stampede Prevention" by Vattani, Chierichetti and Lowenstein
    /// (VLDB 2015), with one draw for a value in the place of one for each call.
    XFetch {
        /// The factor.
        beta: f64,
    },
}

impl Refresh {
    /// How long after it was stored a value is due.
    pub(crate) fn after(self, ttl: Duration, cost: Duration, random: &Dice<'_>) -> Duration {
        match self {
            Self::At(part) => scaled(ttl, part),
            Self::XFetch { beta } => {
                // In (0, 1], of which the logarithm is finite.
                let draw = 1.0 - random();
                ttl.saturating_sub(scaled(cost, beta * -draw.ln()))
            }
        }
    }

    /// What is wrong with it, if anything.
    pub(crate) fn mistake(self) -> Option<&'static str> {
        match self {
            Self::At(part) if part > 0.0 && part < 1.0 => None,
            Self::At(_) => Some("must be at a part of the ttl above 0 and below 1"),
            Self::XFetch { beta } if beta > 0.0 && beta.is_finite() => None,
            Self::XFetch { .. } => Some("must have a finite `beta` above 0"),
        }
    }
}

/// Saturates, whatever the factor is.
fn scaled(duration: Duration, factor: f64) -> Duration {
    let seconds = duration.as_secs_f64() * factor;
    Duration::try_from_secs_f64(seconds).unwrap_or(if seconds > 0.0 {
        Duration::MAX
    } else {
        Duration::ZERO
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TTL: Duration = Duration::from_secs(100);
    const COST: Duration = Duration::from_secs(2);

    #[test]
    fn t5_a_part_of_the_ttl_is_a_moment_in_it() {
        assert_eq!(
            Refresh::At(0.8).after(TTL, COST, &|| 0.5),
            Duration::from_secs(80)
        );
    }

    /// The share of values that are due when `left` is left, against what the paper says.
    #[test]
    fn t5_chance_is_due_as_the_paper_says() {
        let refresh = Refresh::XFetch { beta: 1.5 };
        let draws = 100_000_u32;
        for left in [1_u64, 3, 9] {
            let due = |draw: &u32| {
                let random = || (f64::from(*draw) + 0.5) / f64::from(draws);
                refresh.after(TTL, COST, &random) <= TTL - Duration::from_secs(left)
            };
            let due = (0..draws).filter(due).count() as f64 / f64::from(draws);
            let said = (-(left as f64) / (COST.as_secs_f64() * 1.5)).exp();
            assert!((due - said).abs() < 0.001, "{left}: {due} {said}");
        }
    }

    #[test]
    fn t5_no_draw_takes_it_out_of_the_ttl() {
        for random in [0.0, 0.5, 1.0 - f64::EPSILON] {
            for beta in [f64::MIN_POSITIVE, 1.0, f64::MAX] {
                let due = Refresh::XFetch { beta }.after(TTL, COST, &|| random);
                assert!(due <= TTL, "{random} {beta}");
            }
        }
    }

    #[test]
    fn t5_what_makes_no_sense_is_said() {
        for part in [0.0, 1.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(Refresh::At(part).mistake().is_some(), "{part}");
            let beta = if part > 0.0 && part.is_finite() {
                -part
            } else {
                part
            };
            assert!(Refresh::XFetch { beta }.mistake().is_some(), "{beta}");
        }
        assert!(Refresh::At(0.5).mistake().is_none());
        assert!(Refresh::XFetch { beta: 1.0 }.mistake().is_none());
    }
}
