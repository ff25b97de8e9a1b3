//! What a check found.

use crate::stop::Stop;
use std::fmt;

/// One place that breaks a rule.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// A file and a line in it, or whatever else tells the place.
    place: String,
    /// The rule, said as what is wrong.
    what: String,
}

impl Problem {
    /// A problem at a place that is no line of a file.
    pub(crate) fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            what: what.into(),
        }
    }

    /// A problem at a line of a file, counted from one.
    pub(crate) fn at(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self::new(format!("{path}:{line}"), what)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// Prints the problems; none is success.
///
/// # Errors
/// When there is a problem.
pub(crate) fn report(check: &str, problems: &[Problem]) -> Result<(), Stop> {
    for problem in problems {
        eprintln!("{problem}");
    }
    match problems.len() {
        0 => Ok(()),
        1 => Err(Stop::Failed(format!("{check}: 1 problem"))),
        many => Err(Stop::Failed(format!("{check}: {many} problems"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_fail_and_say_where() {
        let problem = Problem::at("a.rs", 3, "too bad");
        assert_eq!(problem.to_string(), "a.rs:3: too bad");
        assert!(report("tidy", &[problem]).is_err());
        assert!(report("tidy", &[]).is_ok());
    }
}
