//! Deals from JSON.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::Deal;

/// A text is no deal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// It is no JSON.
    #[error("not JSON: {reason} at line {line} column {column}")]
    Syntax {
        /// What was found or missed.
        reason: String,
        /// Where, from 1.
        line: usize,
        /// Where in the line, in bytes, from 1; 0 is before its first.
        column: usize,
    },
    /// It is JSON, but no object.
    #[error("not a JSON object")]
    NotAnObject,
    /// A field is missing, unknown, given twice, of a wrong type or against [`Deal::check`].
    #[error("{field}: {reason}")]
    Field {
        /// The field's name as it is, or should be, in the text.
        field: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Deal {
    /// Reads and [checks](Self::check) a deal: an object with exactly the fields of a deal, in any order.
    ///
    /// Walks the text twice, so that a text which is no JSON is never called an object with a wrong field.
    ///
    /// # Errors
    /// The first thing wrong. Hostile nesting is an error as well.
    ///
    /// ```
    /// # use larder_domain::{Deal, JsonError};
    /// let error = Deal::from_json(br#"{ "deal_no": 5, "colour": "red" }"#).unwrap_err();
    /// assert!(matches!(error, JsonError::Field { field, .. } if field == "colour"));
    /// ```
    pub fn from_json(text: &[u8]) -> Result<Self, JsonError> {
        serde_json::from_slice::<IgnoredAny>(text).map_err(|error| syntax(&error))?;
        let Object { fields, twice } = serde_json::from_slice(text).map_err(|error| {
            // Text that is no Unicode shows only when it is read.
            if error.is_data() {
                JsonError::NotAnObject
            } else {
                syntax(&error)
            }
        })?;
        if let Some(field) = twice {
            return Err(wrong(field, "the field is given more than once"));
        }
        check_names(&fields)?;
        let deal: Self = serde_path_to_error::deserialize(Value::Object(fields))
            .map_err(|error| wrong(error.path().to_string(), error.inner()))?;
        deal.check()
            .map_err(|invalid| wrong(invalid.field, &invalid))?;
        Ok(deal)
    }
}

fn syntax(error: &serde_json::Error) -> JsonError {
    let (line, column) = (error.line(), error.column());
    let text = error.to_string();
    let place = format!(" at line {line} column {column}");
    JsonError::Syntax {
        reason: text.strip_suffix(&place).unwrap_or(&text).to_owned(),
        line,
        column,
    }
}

fn wrong(field: impl Into<String>, reason: impl fmt::Display) -> JsonError {
    JsonError::Field {
        field: field.into(),
        reason: reason.to_string(),
    }
}

fn check_names(fields: &Map<String, Value>) -> Result<(), JsonError> {
    let unknown = |name: &&String| !Deal::FIELDS.contains(&name.as_str());
    if let Some(name) = fields.keys().find(unknown) {
        return Err(wrong(name, "a deal has no such field"));
    }
    let missing = |name: &&&str| !fields.contains_key(**name);
    match Deal::FIELDS.iter().find(missing) {
        Some(name) => Err(wrong(*name, "the field is missing")),
        None => Ok(()),
    }
}

/// An object of JSON that has not forgotten if a name came twice.
struct Object {
    fields: Map<String, Value>,
    twice: Option<String>,
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
        let mut object = Object {
            fields: Map::new(),
            twice: None,
        };
        while let Some((name, value)) = map.next_entry::<String, Value>()? {
            if object.fields.insert(name.clone(), value).is_some() {
                object.twice.get_or_insert(name);
            }
        }
        Ok(object)
    }
}
