//! What one client may take, as settings.

use std::ops::RangeInclusive;
use std::time::Duration;

use larder_http::Limits;

use super::Wrong;
use super::given::Given;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// The grain of the times is a second; a day is no limit any more.
const TIMES: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(86_400);

/// The limits, each as given or as larder-http has it.
pub(super) fn check(given: &mut Given) -> Result<Limits, Wrong> {
    let mut limits = Limits::default();
    let Limits {
        connections,
        max_head,
        max_body,
        head_timeout,
        body_timeout,
        work_timeout,
        write_timeout,
        idle_timeout,
        grace,
        ..
    } = &mut limits;
    take(given, "connections", connections, |text| {
        number(text, 1..=1_000_000)
    })?;
    take(given, "max_head", max_head, |text| {
        size(text, 8 * KIB..=MIB)
    })?;
    take(given, "max_body", max_body, |text| {
        size(text, KIB..=64 * MIB)
    })?;
    for (name, limit) in [
        ("head_timeout", head_timeout),
        ("body_timeout", body_timeout),
        ("work_timeout", work_timeout),
        ("write_timeout", write_timeout),
        ("idle_timeout", idle_timeout),
        ("grace", grace),
    ] {
        take(given, name, limit, time)?;
    }
    Ok(limits)
}

/// A number of things at once.
pub(super) fn count(
    given: &mut Given,
    name: &'static str,
    range: RangeInclusive<usize>,
    default: usize,
) -> Result<usize, Wrong> {
    let mut count = default;
    take(given, name, &mut count, |text| number(text, range))?;
    Ok(count)
}

/// Replaces a limit by what was given for it.
fn take<T>(
    given: &mut Given,
    name: &'static str,
    limit: &mut T,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<(), Wrong> {
    let placed = given.take(name, |text| text.map(parse).transpose())?;
    if let Some(value) = placed.value {
        *limit = value;
    }
    Ok(())
}

fn number(text: &str, range: RangeInclusive<usize>) -> Result<usize, String> {
    let number = digits(text).filter(|number| range.contains(number));
    number.ok_or_else(|| {
        let (least, most) = range.into_inner();
        format!("not a whole number from {least} to {most}")
    })
}

/// Bytes, as they are or in KiB or MiB.
fn size(text: &str, range: RangeInclusive<usize>) -> Result<usize, String> {
    let (number, unit) = split(text);
    let unit = match unit {
        "" => Some(1),
        "KiB" => Some(KIB),
        "MiB" => Some(MIB),
        _ => None,
    };
    let size = digits(number)
        .zip(unit)
        .and_then(|(number, unit)| number.checked_mul(unit));
    size.filter(|size| range.contains(size)).ok_or_else(|| {
        let (least, most) = (range.start() / KIB, range.end() / KIB);
        format!("not a size from {least}KiB to {most}KiB, such as 32KiB")
    })
}

/// Whole numbers with units, the way the attributes take them: `90s`, `1m30s`.
fn time(text: &str) -> Result<Duration, String> {
    parts(text)
        .filter(|time| TIMES.contains(time))
        .ok_or_else(|| "not a time from 1s to 24h, such as 30s or 1m30s".to_owned())
}

fn parts(mut text: &str) -> Option<Duration> {
    let mut sum = Duration::ZERO;
    while !text.is_empty() {
        let (number, rest) = split(text);
        let end = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, rest) = rest.split_at(end);
        let unit = match unit {
            "ms" => Duration::from_millis(1),
            "s" => Duration::from_secs(1),
            "m" => Duration::from_secs(60),
            "h" => Duration::from_secs(3600),
            "d" => Duration::from_secs(86_400),
            _ => return None,
        };
        let number = digits(number)?.try_into().ok()?;
        sum = sum.checked_add(unit.checked_mul(number)?)?;
        text = rest;
    }
    Some(sum)
}

/// The digits at the start of a text, and what follows them.
fn split(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

/// Without signs, which `usize` would parse.
fn digits(text: &str) -> Option<usize> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_whole_numbers_with_units() {
        for (text, seconds) in [("1s", 1), ("1000ms", 1), ("1m30s", 90), ("1d", 86_400)] {
            assert_eq!(time(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for text in [
            "",
            "0s",
            "999ms",
            "10",
            "s",
            "1 s",
            "-1s",
            "1.5s",
            "1s1",
            "24h1ms",
            "24h24h",
            "18446744073709551615h",
            "99999999999999999999s",
            "\u{661}s",
        ] {
            assert!(time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_bytes_or_have_a_unit() {
        let range = 8 * KIB..=MIB;
        for (text, bytes) in [("8192", 8192), ("16KiB", 16 * KIB), ("1MiB", MIB)] {
            assert_eq!(size(text, range.clone()), Ok(bytes), "{text}");
        }
        for text in [
            "",
            "0",
            "8191",
            "KiB",
            "16kb",
            "16 KiB",
            "-1",
            "2MiB",
            "1.5MiB",
            "18014398509481984KiB",
        ] {
            assert!(size(text, range.clone()).is_err(), "{text}");
        }
    }
}
