//! The query of a request.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::problem::Problem;

/// The parameters of a query, each taken by its name.
#[derive(Debug, Default)]
pub(crate) struct Query(Vec<(&'static str, String)>);

impl Query {
    /// Reads the query of a target: pairs as forms send them, in any order.
    ///
    /// # Errors
    /// A parameter is none of `names`, is given twice, has broken escapes or is not UTF-8.
    pub(crate) fn parse(text: &str, names: &[&'static str]) -> Result<Self, Problem> {
        let mut query = Self::default();
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = known(name, names)?;
            if query.0.iter().any(|(given, _)| *given == name) {
                let detail = format!("`{name}` is given more than once");
                return Err(Problem::parameter(name, detail));
            }
            let value = value.replace('+', " ");
            query.0.push((name, decode(name, &value)?.into_owned()));
        }
        Ok(query)
    }

    /// A text.
    ///
    /// # Errors
    /// It is blank, which nothing is.
    pub(crate) fn text(&mut self, name: &'static str) -> Result<Option<String>, Problem> {
        match self.take(name) {
            Some(text) if text.trim().is_empty() => {
                let detail = format!("`{name}` must not be blank");
                Err(Problem::parameter(name, detail))
            }
            text => Ok(text),
        }
    }

    /// A whole number.
    ///
    /// # Errors
    /// It is anything but digits, or not from `least` to `most`.
    pub(crate) fn number(
        &mut self,
        name: &'static str,
        least: u64,
        most: u64,
    ) -> Result<Option<u64>, Problem> {
        self.take(name)
            .map(|text| number(name, &text, least, most))
            .transpose()
    }

    fn take(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(given, _)| *given == name)?;
        Some(self.0.swap_remove(at).1)
    }
}

fn known(name: &str, names: &[&'static str]) -> Result<&'static str, Problem> {
    let found = names
        .iter()
        .find(|known| percent_decode_str(name).eq(known.bytes()));
    found.copied().ok_or_else(|| {
        let detail = format!("there are no parameters here but {}", names.join(", "));
        Problem::unknown_parameter(percent_decode_str(name).decode_utf8_lossy(), detail)
    })
}

/// A value decoded once.
///
/// # Errors
/// A problem naming the parameter if its escapes are broken or it is not UTF-8.
pub(crate) fn decode<'a>(name: &'static str, raw: &'a str) -> Result<Cow<'a, str>, Problem> {
    if !has_whole_escapes(raw) {
        let detail = format!("`{name}` holds a broken percent escape");
        return Err(Problem::parameter(name, detail));
    }
    percent_decode_str(raw)
        .decode_utf8()
        .map_err(|_| Problem::parameter(name, format!("`{name}` is not UTF-8")))
}

fn has_whole_escapes(text: &str) -> bool {
    text.split('%').skip(1).all(|after| {
        let digits = after.as_bytes();
        digits.len() >= 2 && digits[..2].iter().all(u8::is_ascii_hexdigit)
    })
}

/// A number in digits alone: what else `u64` parses (`+5`) would be a second name of the same thing.
pub(crate) fn number(
    name: &'static str,
    text: &str,
    least: u64,
    most: u64,
) -> Result<u64, Problem> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = if digits { text.parse().ok() } else { None };
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| {
            let detail = format!("`{name}` must be a whole number from {least} to {most}");
            Problem::parameter(name, detail)
        })
}
