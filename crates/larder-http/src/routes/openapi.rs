//! `/openapi.json`: what there is, for programs.

use hyper::StatusCode;
use hyper::header::HeaderValue;

use crate::call::{Call, add_read};
use crate::problem::Problem;
use crate::reply::Reply;

const TEXT: &str = include_str!("../openapi.json");

pub(crate) fn add(routes: &mut tide::Server<()>) {
    add_read(routes, "/openapi.json", &(), read);
}

async fn read(_: Call<()>) -> Result<Reply, Problem> {
    let json = HeaderValue::from_static("application/json");
    Ok(Reply::new(StatusCode::OK, json, TEXT))
}
