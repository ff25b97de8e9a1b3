//! `/livez` and `/readyz`.

use hyper::StatusCode;
use hyper::header::HeaderValue;

use super::source_failed;
use crate::Deals;
use crate::call::{Call, endpoint};
use crate::problem::Problem;
use crate::reply::Reply;

const ALLOW: &str = "GET, HEAD";

pub(crate) fn add(routes: &mut tide::Server<Deals>) {
    let refuse = endpoint(|_| async { Err(Problem::method(ALLOW)) });
    routes
        .at("/livez")
        .get(endpoint(live))
        .head(endpoint(live))
        .all(refuse);
    let refuse = endpoint(|_| async { Err(Problem::method(ALLOW)) });
    routes
        .at("/readyz")
        .get(endpoint(ready))
        .head(endpoint(ready))
        .all(refuse);
}

async fn live(_: Call<Deals>) -> Result<Reply, Problem> {
    Ok(text("live\n"))
}

async fn ready(call: Call<Deals>) -> Result<Reply, Problem> {
    call.state()
        .ready()
        .await
        .map_err(|error| source_failed(&error))?;
    Ok(text("ready\n"))
}

fn text(body: &'static str) -> Reply {
    Reply::new(
        StatusCode::OK,
        HeaderValue::from_static("text/plain; charset=utf-8"),
        body,
    )
}
