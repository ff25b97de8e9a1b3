//! Calendar days.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A day of the Gregorian calendar from year 0 to 9999, four bytes, without time or zone.
///
/// Its text, and its form in every serde format, is `YYYY-MM-DD`; other spellings of ISO 8601 are refused,
/// so that two texts of one day are always equal.
///
/// ```
/// # use larder_domain::Date;
/// let day: Date = "2015-10-11".parse()?;
/// assert_eq!(day.to_string(), "2015-10-11");
/// assert!("2015-02-29".parse::<Date>().is_err());
/// # Ok::<_, larder_domain::DateError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Date(jiff::civil::Date);

/// The text is no day: another spelling than `YYYY-MM-DD`, or a day that the calendar does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a day written as YYYY-MM-DD")]
#[non_exhaustive]
pub struct DateError;

impl FromStr for Date {
    type Err = DateError;

    fn from_str(text: &str) -> Result<Self, DateError> {
        let shaped = text.len() == 10
            && text.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !shaped {
            return Err(DateError);
        }
        text.parse().map(Self).map_err(|_| DateError)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl TryFrom<String> for Date {
    type Error = DateError;

    fn try_from(text: String) -> Result<Self, DateError> {
        text.parse()
    }
}

impl From<Date> for String {
    fn from(date: Date) -> Self {
        date.to_string()
    }
}
