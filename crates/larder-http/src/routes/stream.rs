//! `/deals/stream`.

use futures_lite::{StreamExt, stream};
use hyper::StatusCode;
use hyper::header::HeaderValue;

use super::source_failed;
use crate::Deals;
use crate::cache_status;
use crate::call::{Call, endpoint, refuse};
use crate::filter::Filter;
use crate::ndjson::Lines;
use crate::problem::Problem;
use crate::query::Query;
use crate::reply::Reply;

const ALLOW: &str = "GET, HEAD";
const TYPE: HeaderValue = HeaderValue::from_static("application/x-ndjson");

pub(crate) fn add(routes: &mut tide::Server<()>, deals: &Deals) {
    routes
        .at("/deals/stream")
        .get(endpoint(deals, read))
        .head(endpoint(deals, read))
        // A deal of this name would be asked for otherwise.
        .put(refuse(ALLOW))
        .delete(refuse(ALLOW))
        .all(refuse(ALLOW));
}

/// Answers when the first deal is there, or the end: what fails before that is a problem of its own.
async fn read(call: Call<Deals>) -> Result<Reply, Problem> {
    let mut query = Query::parse(call.query(), &Filter::NAMES)?;
    let filter = Filter::take(&mut query)?;
    if !call.takes_chunks() {
        return Err(Problem::upgrade());
    }
    let mut deals = Box::pin(call.service().stream(&filter));
    let (first, why) = larder::observe(deals.next()).await;
    let reply = match first {
        Some(Err(error)) => source_failed("deals", &error).into_reply(),
        Some(Ok(first)) => {
            let deals = stream::once(Ok(first)).chain(deals);
            Reply::flowing(TYPE, Lines::new(deals))
        }
        None => Reply::new(StatusCode::OK, TYPE, ""),
    };
    Ok(cache_status::add(reply, &why))
}
