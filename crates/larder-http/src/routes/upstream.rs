//! `/{seconds}`: the upstream that larderd brings along.

use std::time::Duration;

use hyper::StatusCode;
use hyper::header::HeaderValue;
use smol::Timer;

use super::seconds;
use crate::call::{Call, add_read};
use crate::problem::Problem;
use crate::reply::Reply;

pub(crate) fn add(routes: &mut tide::Server<()>) {
    add_read(routes, "/:seconds", &(), wait);
}

async fn wait(call: Call<()>) -> Result<Reply, Problem> {
    let seconds = seconds(&call)?;
    Timer::after(Duration::from_secs(seconds)).await;
    Ok(Reply::new(
        StatusCode::OK,
        HeaderValue::from_static("text/plain; charset=utf-8"),
        format!("waited for {seconds} s\n"),
    ))
}
