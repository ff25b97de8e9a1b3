//! `/livez` and `/readyz`.

use hyper::StatusCode;
use hyper::header::HeaderValue;

use super::source_failed;
use crate::Deals;
use crate::call::{Call, add_read};
use crate::problem::Problem;
use crate::reply::Reply;

pub(crate) fn add(routes: &mut tide::Server<()>, deals: &Deals) {
    add_read(routes, "/livez", &(), live);
    add_read(routes, "/readyz", deals, ready);
}

async fn live(_: Call<()>) -> Result<Reply, Problem> {
    Ok(text("live\n"))
}

async fn ready(call: Call<Deals>) -> Result<Reply, Problem> {
    call.service()
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
