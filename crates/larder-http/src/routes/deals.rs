//! `/deals/{no}`.

use std::sync::Arc;

use hyper::StatusCode;
use larder_domain::Saved;

use super::source_failed;
use crate::Deals;
use crate::cache_status;
use crate::call::{Call, endpoint, refuse};
use crate::json;
use crate::problem::Problem;
use crate::query;
use crate::reply::Reply;

const ALLOW: &str = "GET, HEAD, PUT, DELETE";

pub(crate) fn add(routes: &mut tide::Server<()>, deals: &Deals) {
    // The router takes no empty segment for a parameter, yet it is a wrong number, not an unknown path.
    for path in ["/deals/:no", "/deals/"] {
        routes
            .at(path)
            .get(endpoint(deals, read))
            // Before the fallback for all methods, which would win over GET.
            .head(endpoint(deals, read))
            .put(endpoint(deals, save))
            .delete(endpoint(deals, delete))
            .all(refuse(ALLOW));
    }
}

async fn read(call: Call<Deals>) -> Result<Reply, Problem> {
    let no = number(&call)?;
    let (answer, why) = larder::observe(call.service().deal(no)).await;
    let reply = match answer {
        Ok(Some(deal)) => json::reply(StatusCode::OK, &*deal)?,
        Ok(None) => unknown().into_reply(),
        Err(error) => source_failed("deals", &error).into_reply(),
    };
    Ok(cache_status::add(reply, &why))
}

async fn save(call: Call<Deals>) -> Result<Reply, Problem> {
    let no = number(&call)?;
    let deal = Arc::new(json::parse(&call.body())?);
    if deal.deal_no != no {
        return Err(Problem::field(
            "deal_no",
            "`deal_no` must be the number in the path",
        ));
    }
    let status = match call.service().save(Arc::clone(&deal)).await {
        Ok(Saved::Created) => StatusCode::CREATED,
        Ok(Saved::Replaced) => StatusCode::OK,
        Err(error) => return Err(source_failed("deals", &error)),
    };
    json::reply(status, &*deal)
}

async fn delete(call: Call<Deals>) -> Result<Reply, Problem> {
    match call.service().delete(number(&call)?).await {
        Ok(true) => Ok(Reply::empty()),
        Ok(false) => Err(unknown()),
        Err(error) => Err(source_failed("deals", &error)),
    }
}

fn unknown() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "there is no deal of this number")
}

/// The number in the path.
fn number(call: &Call<Deals>) -> Result<u64, Problem> {
    query::number("no", &call.param("no")?, 0, u64::MAX)
}
