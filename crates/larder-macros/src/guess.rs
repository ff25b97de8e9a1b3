//! "Did you mean …?"
//!
//! By hand, because a crate for it would be one more in the tree of everybody who takes larder.

/// The end of a sentence about the unknown `name`: the nearest of `known`, or all of them.
pub(crate) fn did_you_mean(name: &str, known: &[impl AsRef<str>]) -> String {
    let known: Vec<_> = known.iter().map(AsRef::as_ref).collect();
    let starts_alike = |word: &str| word.chars().next() == name.chars().next();
    let nearest = known
        .iter()
        .min_by_key(|word| (distance(name, word), !starts_alike(word)));
    match nearest {
        None => String::new(),
        Some(word) if distance(name, word) <= word.len() / 2 => {
            format!("; did you mean `{word}`?")
        }
        Some(_) => format!("; known: `{}`", known.join("`, `")),
    }
}

/// How many letters have to be put in, taken out or changed.
fn distance(from: &str, to: &str) -> usize {
    let mut costs: Vec<usize> = (0..=to.chars().count()).collect();
    for (row, letter) in from.chars().enumerate() {
        let mut diagonal = row;
        costs[0] = row + 1;
        for (column, other) in to.chars().enumerate() {
            let change = diagonal + usize::from(letter != other);
            diagonal = costs[column + 1];
            costs[column + 1] = change.min(diagonal + 1).min(costs[column] + 1);
        }
    }
    costs.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, distance};

    #[test]
    fn letters_are_counted() {
        for (from, to, count) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("ttl", "tll", 1),
            ("kitten", "sitting", 3),
            ("befor", "before", 1),
        ] {
            assert_eq!(distance(from, to), count, "{from} {to}");
        }
    }

    #[test]
    fn the_first_letter_breaks_a_tie() {
        let guess = did_you_mean("tll", &["all", "ttl"]);
        assert_eq!(guess, "; did you mean `ttl`?");
    }

    #[test]
    fn far_names_get_the_list() {
        assert_eq!(
            did_you_mean("xyz", &["key", "ttl"]),
            "; known: `key`, `ttl`"
        );
        assert_eq!(did_you_mean("xyz", &[] as &[&str]), "");
    }
}
