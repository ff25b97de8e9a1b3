//! What is measured in turns, so that a slow moment of the machine meets all who are compared.

use crate::progress;

/// Lets every subject have its turn, round after round, with a bar that says how far it is.
///
/// # Errors
/// The first of a turn, which is the last one then.
pub(crate) fn take<S>(
    what: &'static str,
    rounds: usize,
    all: &mut [S],
    mut turn: impl FnMut(&mut S) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let bar = progress::bar(what, rounds * all.len());
    for _ in 0..rounds {
        for one in &mut *all {
            turn(one)?;
            bar.inc(1);
        }
    }
    Ok(())
}

/// The middle one of some numbers; of an even count the upper one of the two.
///
/// # Panics
/// When there is none.
pub(crate) fn median(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let mut numbers: Vec<_> = numbers.into_iter().collect();
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// The median of the ratios of each turn.
///
/// # Panics
/// When there was no turn of both.
pub(crate) fn ratio<T>(ours: &[T], to: &[T], number: impl Fn(&T) -> f64) -> f64 {
    let turns = ours.iter().zip(to);
    median(turns.map(|(one, other)| number(one) / number(other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: f64, other: f64) -> bool {
        (one - other).abs() < f64::EPSILON
    }

    #[test]
    fn the_median_is_not_moved_by_an_outlier() {
        assert!(same(median([900.0, 2.0, 1.0]), 2.0));
        assert!(same(median([4.0, 2.0]), 4.0));
    }

    #[test]
    fn a_ratio_is_that_of_turns_and_not_of_medians() {
        // A slow moment halves both of a turn.
        let (ours, theirs) = ([8.0, 4.0, 9.0], [4.0, 2.0, 3.0]);
        assert!(same(ratio(&ours, &theirs, |&number| number), 2.0));
    }

    #[test]
    fn all_have_a_turn_in_every_round() {
        let mut seen = [Vec::new(), Vec::new()];
        let mut at = 0;
        let counted = take("", 3, &mut seen, |one| {
            at += 1;
            one.push(at);
            Ok(())
        });
        assert!(counted.is_ok());
        assert_eq!(seen, [[1, 3, 5], [2, 4, 6]]);
        let failed = take("", 3, &mut seen, |_| anyhow::bail!("gone"));
        assert!(failed.is_err());
    }
}
