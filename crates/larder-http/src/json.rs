//! Answers in JSON, and deals from it.

use std::fmt;

use hyper::StatusCode;
use hyper::header::HeaderValue;
use larder_domain::Deal;
use serde::Serialize;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::problem::Problem;
use crate::reply::Reply;

const TYPE: HeaderValue = HeaderValue::from_static("application/json");

/// An answer. Serializes it anew, about a microsecond a deal.
pub(crate) fn reply(status: StatusCode, answer: &impl Serialize) -> Result<Reply, Problem> {
    let body = serde_json::to_vec(answer).map_err(|error| {
        tracing::error!(%error, "an answer has no JSON form");
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the answer cannot be shown",
        )
    })?;
    Ok(Reply::new(status, TYPE, body))
}

/// Reads and checks a deal.
///
/// # Errors
/// 400 if the text is no JSON; 422 naming the field if one is missing, unknown, given twice, of a wrong type
/// or against [`Deal::check`].
pub(crate) fn parse(text: &[u8]) -> Result<Deal, Problem> {
    // First, so that a text which is no JSON is never called an object with a wrong field.
    serde_json::from_slice::<IgnoredAny>(text).map_err(|error| not_json(&error))?;
    let Object { fields, twice } =
        serde_json::from_slice(text).map_err(|error| not_an_object(&error))?;
    if let Some(field) = twice {
        return Err(Problem::field(field, "the field is given more than once"));
    }
    check_names(&fields)?;
    let deal: Deal = serde_path_to_error::deserialize(Value::Object(fields)).map_err(|error| {
        let field = error.path().to_string();
        Problem::field(field, error.into_inner().to_string())
    })?;
    deal.check()
        .map_err(|invalid| Problem::field(invalid.field, invalid.to_string()))?;
    Ok(deal)
}

fn not_json(error: &serde_json::Error) -> Problem {
    Problem::bad_request(format!("the body is not JSON: {error}"))
}

fn not_an_object(error: &serde_json::Error) -> Problem {
    if error.is_data() {
        return Problem::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "the body must be a JSON object",
        );
    }
    // Text that is no Unicode shows only when it is read.
    not_json(error)
}

fn check_names(fields: &Map<String, Value>) -> Result<(), Problem> {
    if let Some(name) = fields
        .keys()
        .find(|name| !Deal::FIELDS.contains(&name.as_str()))
    {
        return Err(Problem::field(name.clone(), "a deal has no such field"));
    }
    match Deal::FIELDS
        .iter()
        .find(|name| !fields.contains_key(**name))
    {
        Some(name) => Err(Problem::field(*name, "the field is missing")),
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
