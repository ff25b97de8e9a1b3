//! Patterns of names.

/// Whether a name fits a pattern: `*` any bytes, `?` one byte, `[abc]`, `[^abc]` and `[a-c]` one of
/// or none of these, `\` the next byte as it is.
pub(super) fn fits(pattern: &[u8], name: &[u8]) -> bool {
    match pattern {
        [] => name.is_empty(),
        [b'*', rest @ ..] => (0..=name.len()).any(|skip| fits(rest, &name[skip..])),
        [b'?', rest @ ..] => !name.is_empty() && fits(rest, &name[1..]),
        [b'[', rest @ ..] => class(rest, name),
        [b'\\', byte, rest @ ..] | [byte, rest @ ..] => {
            name.first() == Some(byte) && fits(rest, &name[1..])
        }
    }
}

/// The pattern after a `[`.
fn class(pattern: &[u8], name: &[u8]) -> bool {
    let Some((byte, after)) = name.split_first() else {
        return false;
    };
    let (wanted, mut rest) = match pattern {
        [b'^', rest @ ..] => (false, rest),
        rest => (true, rest),
    };
    let mut found = false;
    loop {
        let (range, next) = match rest {
            [] => break,
            [b']', next @ ..] => {
                rest = next;
                break;
            }
            [b'\\', one, next @ ..] => (*one..=*one, next),
            [low, b'-', high, next @ ..] => (*low.min(high)..=*low.max(high), next),
            [one, next @ ..] => (*one..=*one, next),
        };
        found |= range.contains(byte);
        rest = next;
    }
    found == wanted && fits(rest, after)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns_fit_what_they_say() {
        let fine: [(&str, &str); 9] = [
            ("", ""),
            ("a*", "a"),
            ("a*c", "abbc"),
            ("*b*", "abc"),
            ("a?c", "abc"),
            ("a[bd]c", "abc"),
            ("a[a-c]c", "abc"),
            ("a[^x]c", "abc"),
            (r"a\*[\]]", "a*]"),
        ];
        for (pattern, name) in fine {
            assert!(
                fits(pattern.as_bytes(), name.as_bytes()),
                "{pattern} {name}"
            );
        }
        let not = [
            ("", "a"),
            ("a", ""),
            ("a?", "a"),
            ("[ab]", "c"),
            ("[^a]", "a"),
            (r"\*", "b"),
        ];
        for (pattern, name) in not {
            assert!(
                !fits(pattern.as_bytes(), name.as_bytes()),
                "{pattern} {name}"
            );
        }
    }
}
