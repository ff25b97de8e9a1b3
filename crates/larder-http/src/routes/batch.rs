//! `/deals/batch`.

use std::sync::Arc;

use hyper::StatusCode;
use larder_domain::Deal;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::source_failed;
use crate::Deals;
use crate::cache_status;
use crate::call::{Call, endpoint, refuse};
use crate::json;
use crate::problem::Problem;
use crate::reply::Reply;

const ALLOW: &str = "POST";
const FIELD: &str = "deal_nos";
/// As many as a list shows at most.
const MOST: usize = 500;

pub(crate) fn add(routes: &mut tide::Server<()>, deals: &Deals) {
    routes
        .at("/deals/batch")
        .post(endpoint(deals, read))
        // A deal of this name would be asked for otherwise.
        .get(refuse(ALLOW))
        .head(refuse(ALLOW))
        .put(refuse(ALLOW))
        .delete(refuse(ALLOW))
        .all(refuse(ALLOW));
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    deal_nos: Vec<Value>,
}

#[derive(Serialize)]
struct Found {
    /// In the order of the numbers; nothing where there is no such deal.
    deals: Vec<Option<Arc<Deal>>>,
}

async fn read(call: Call<Deals>) -> Result<Reply, Problem> {
    let numbers = numbers(&call.body())?;
    let (found, why) = larder::observe(call.service().batch(&numbers)).await;
    let reply = match found {
        Ok(deals) => json::reply(StatusCode::OK, &Found { deals })?,
        Err(error) => source_failed("deals", &error).into_reply(),
    };
    Ok(cache_status::add_counted(reply, &why))
}

/// The numbers that a body asks for.
///
/// # Errors
/// 400 if it is no JSON; 422 naming the field, or the one number, that is wrong.
fn numbers(body: &[u8]) -> Result<Vec<u64>, Problem> {
    serde_json::from_slice::<IgnoredAny>(body)
        .map_err(|error| Problem::bad_request(format!("the body is not JSON: {error}")))?;
    // The array of its fields would do for serde.
    let object = body.trim_ascii_start().starts_with(b"{");
    let asked = serde_json::from_slice::<Asked>(body).ok();
    let asked = asked.filter(|_| object).ok_or_else(|| {
        let detail = "the body must be an object with the one field `deal_nos`, an array";
        Problem::field(FIELD, detail)
    })?;
    if !(1..=MOST).contains(&asked.deal_nos.len()) {
        let detail = format!("`{FIELD}` must hold 1 to {MOST} numbers");
        return Err(Problem::field(FIELD, detail));
    }
    let number = |(at, value): (usize, &Value)| {
        value.as_u64().ok_or_else(|| {
            let field = format!("{FIELD}[{at}]");
            let detail = format!("`{field}` must be a whole number from 0 to {}", u64::MAX);
            Problem::field(field, detail)
        })
    };
    asked.deal_nos.iter().enumerate().map(number).collect()
}
