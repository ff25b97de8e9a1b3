//! Durations as text: `"5m"`, `"1h30m"`.

use std::time::Duration;

/// Larger to smaller, with their length in milliseconds.
const UNITS: [(&str, u64); 5] = [
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1_000),
    ("ms", 1),
];

/// Reads whole numbers with units, larger units first.
///
/// # Errors
/// A sentence about what is wrong: no number, no unit, an unknown one, the order, zero, overflow.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    if text.is_empty() {
        return Err("an empty duration: write for example \"5m\"".into());
    }
    let (mut rest, mut units, mut millis) = (text, &UNITS[..], 0_u64);
    while !rest.is_empty() {
        let (digits, after) = split(rest, |c| !c.is_ascii_digit());
        let (unit, after) = split(after, |c| c.is_ascii_digit());
        let number = number(digits, unit)?;
        let at = place(units, unit)?;
        let part = number.checked_mul(units[at].1);
        let sum = part.and_then(|part| millis.checked_add(part));
        millis = sum.ok_or_else(|| format!("the duration \"{text}\" is too long"))?;
        (rest, units) = (after, &units[at + 1..]);
    }
    if millis == 0 {
        return Err("a duration must not be zero".into());
    }
    Ok(Duration::from_millis(millis))
}

fn split(text: &str, end: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(end).unwrap_or(text.len()))
}

fn number(digits: &str, unit: &str) -> Result<u64, String> {
    if digits.is_empty() {
        return Err(format!("a whole number is missing before `{unit}`"));
    }
    if unit.is_empty() {
        return Err(format!("`{digits}` has no unit: ms, s, m, h or d"));
    }
    digits
        .parse()
        .map_err(|_| format!("`{digits}` is too large"))
}

/// Where `unit` stands among those that may still follow.
fn place(units: &[(&str, u64)], unit: &str) -> Result<usize, String> {
    let at = |units: &[(&str, u64)]| units.iter().position(|(name, _)| *name == unit);
    match at(units) {
        Some(at) => Ok(at),
        None if at(&UNITS).is_some() => {
            Err(format!("`{unit}` stands twice, or after a smaller unit"))
        }
        None => Err(format!(
            "unknown unit `{unit}`: known are ms, s, m, h and d"
        )),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// How many of each unit, and none where a unit is left out.
    fn counts() -> impl Strategy<Value = [Option<u32>; 5]> {
        prop::array::uniform5(prop::option::of(0..100_000_u32))
    }

    proptest! {
        #[test]
        fn any_units_in_order_are_added_up(counts in counts()) {
            let written = counts.iter().zip(UNITS);
            let written = written.filter_map(|(count, unit)| Some(((*count)?, unit)));
            let text: String = written
                .clone()
                .map(|(count, (unit, _))| format!("{count}{unit}"))
                .collect();
            let millis = written.map(|(count, (_, millis))| u64::from(count) * millis).sum();
            let parsed = parse(&text);
            if millis == 0 {
                prop_assert!(parsed.is_err());
            } else {
                prop_assert_eq!(parsed, Ok(Duration::from_millis(millis)));
            }
        }

        #[test]
        fn units_out_of_order_are_refused(counts in counts(), again in 0..5_usize) {
            let written: Vec<_> = counts.iter().zip(UNITS).filter(|(count, _)| count.is_some()).collect();
            let last = UNITS.iter().position(|unit| Some(unit) == written.last().map(|(_, unit)| unit));
            prop_assume!(last.is_some_and(|last| again <= last));
            let text: String = written
                .iter()
                .map(|(count, (unit, _))| format!("{}{unit}", count.unwrap_or_default()))
                .collect();
            let text = format!("{text}1{}", UNITS[again].0);
            prop_assert!(parse(&text).is_err(), "{}", text);
        }

        #[test]
        fn no_text_panics_and_what_is_read_is_never_zero(text in "[0-9dhms. -]{0,24}|\\PC{0,8}") {
            if let Ok(duration) = parse(&text) {
                prop_assert!(!duration.is_zero());
                prop_assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{}", text);
            }
        }
    }

    #[test]
    fn units_are_added_up() {
        let millis = |text| parse(text).map(|duration| duration.as_millis());
        assert_eq!(millis("5m"), Ok(300_000));
        assert_eq!(millis("250ms"), Ok(250));
        assert_eq!(millis("1h30m"), Ok(5_400_000));
        assert_eq!(millis("1d2h3m4s5ms"), Ok(93_784_005));
    }

    #[test]
    fn each_mistake_has_its_sentence() {
        let refused = |text, part: &str| {
            let error = parse(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        };
        refused("", "empty");
        refused("300", "no unit");
        refused("1h30", "`30` has no unit");
        refused("m", "number is missing");
        refused("-5m", "number is missing");
        refused("5w", "unknown unit `w`");
        refused("1.5h", "unknown unit `.`");
        refused("1h 30m", "unknown unit `h `");
        refused("30m1h", "after a smaller unit");
        refused("5m5m", "twice");
        refused("0s", "zero");
        refused("0h0m", "zero");
        refused("99999999999999999999s", "too large");
        refused("999999999999999999d", "too long");
    }
}
