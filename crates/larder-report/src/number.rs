//! How a measured number is written.

/// A number with as many digits as a measured one deserves: none behind the point from 100 on, with
/// commas between the thousands; one from 10 on; two below; and three close to 1, where the share of
/// a percent is what is looked for.
///
/// ```
/// use larder_report::number;
/// assert_eq!([123_456.7, 12.34, 1.5, 1.0006].map(number), ["123,457", "12.3", "1.50", "1.001"]);
/// ```
#[must_use]
pub fn number(value: f64) -> String {
    let size = value.abs();
    let hundredths = value * 100.0;
    let between = (size - 1.0).abs() < 0.1 && (hundredths - hundredths.round()).abs() > 0.01;
    if between {
        format!("{value:.3}")
    } else if size < 9.995 {
        format!("{value:.2}")
    } else if size < 99.95 {
        format!("{value:.1}")
    } else {
        thousands(&format!("{value:.0}"))
    }
}

/// A number of things, with commas between the thousands.
///
/// ```
/// assert_eq!(larder_report::count(1_234_567), "1,234,567");
/// ```
#[must_use]
pub fn count(things: usize) -> String {
    thousands(&things.to_string())
}

/// Sets a comma between thousands of what is only digits, with a sign or without.
fn thousands(digits: &str) -> String {
    let (sign, digits) = digits
        .strip_prefix('-')
        .map_or(("", digits), |rest| ("-", rest));
    let mut text = sign.to_owned();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_fit_the_size() {
        let written = [
            0.0,
            0.044,
            1.0,
            1.05,
            1.005,
            9.994,
            9.996,
            99.96,
            999.6,
            -1_234_567.0,
        ];
        let expected = [
            "0.00",
            "0.04",
            "1.00",
            "1.05",
            "1.005",
            "9.99",
            "10.0",
            "100",
            "1,000",
            "-1,234,567",
        ];
        assert_eq!(written.map(number), expected);
    }
}
