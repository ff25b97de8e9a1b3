//! Settings from a TOML file.

use std::path::PathBuf;

use toml::de::{DeTable, DeValue};

use super::given::Given;
use super::{Origin, Placed, SETTINGS, Wrong};

/// Offers every key of the file. A key that is no setting is refused, as it would silently do nothing.
pub(super) fn read(given: &mut Given, config: Placed<PathBuf>) -> Result<(), Wrong> {
    let Placed {
        value: path,
        origin,
    } = config;
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Wrong::new("config", origin, format!("cannot read {path:?}: {error}")))?;
    let place = |at: usize| Origin::File {
        path: path.clone(),
        line: line(&text, at),
    };
    let table = DeTable::parse(&text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Wrong::new("config", place(at), error.message())
    })?;
    for (key, value) in table.get_ref() {
        let name = key.get_ref();
        let place = place(key.span().start);
        let Some(setting) = SETTINGS
            .iter()
            .find(|setting| setting.name == name.as_ref())
        else {
            return Err(Wrong::new(name.as_ref(), place, "no such setting"));
        };
        let text = match value.get_ref() {
            DeValue::String(text) => text.clone().into_owned(),
            DeValue::Integer(number) => number.to_string(),
            _ => {
                return Err(Wrong::new(
                    setting.name,
                    place,
                    "neither a text nor a whole number",
                ));
            }
        };
        given.offer(setting.name, text, place);
    }
    Ok(())
}

/// Lines count from one.
fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}
