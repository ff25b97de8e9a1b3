//! "Did you mean …?"

/// The end of a sentence about the unknown `name`: the nearest of `known`, or all of them.
pub(crate) fn did_you_mean(name: &str, known: &[impl AsRef<str>]) -> String {
    let near = |word: &str| strsim::jaro_winkler(name, word);
    let nearest = known
        .iter()
        .map(AsRef::as_ref)
        .max_by(|a, b| near(a).total_cmp(&near(b)));
    match nearest {
        None => String::new(),
        Some(word) if near(word) >= 0.7 => format!("; did you mean `{word}`?"),
        Some(_) => {
            let known: Vec<_> = known
                .iter()
                .map(|word| format!("`{}`", word.as_ref()))
                .collect();
            format!("; known: {}", known.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn the_first_letter_breaks_a_tie() {
        assert_eq!(
            did_you_mean("tll", &["all", "ttl"]),
            "; did you mean `ttl`?"
        );
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
