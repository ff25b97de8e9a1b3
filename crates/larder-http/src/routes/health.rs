//! `/livez` and `/readyz`.

use std::sync::{Arc, OnceLock};

use hyper::StatusCode;
use hyper::header::HeaderValue;

use super::source_failed;
use crate::Deals;
use crate::call::{Call, add_read};
use crate::problem::Problem;
use crate::reply::Reply;

/// What the service's health is asked of. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Health {
    deals: Option<Deals>,
    far: Arc<OnceLock<Box<dyn Fn() -> &'static str + Send + Sync>>>,
}

impl Health {
    pub(crate) fn new(deals: &Deals) -> Self {
        Self {
            deals: Some(deals.clone()),
            far: Arc::default(),
        }
    }

    /// The first of them counts.
    pub(crate) fn watch_far(&self, state: impl Fn() -> &'static str + Send + Sync + 'static) {
        let _ = self.far.set(Box::new(state));
    }
}

pub(crate) fn add(routes: &mut tide::Server<()>, health: &Health) {
    add_read(routes, "/livez", &(), live);
    add_read(routes, "/readyz", health, ready);
}

async fn live(_: Call<()>) -> Result<Reply, Problem> {
    Ok(text("live\n"))
}

async fn ready(call: Call<Health>) -> Result<Reply, Problem> {
    let health = call.service();
    if let Some(deals) = &health.deals {
        let ready = deals.ready().await;
        ready.map_err(|error| source_failed("deals", &error))?;
    }
    Ok(match health.far.get() {
        Some(state) => text(format!("ready\nshared store: {}\n", state())),
        None => text("ready\n"),
    })
}

fn text(body: impl Into<bytes::Bytes>) -> Reply {
    Reply::new(
        StatusCode::OK,
        HeaderValue::from_static("text/plain; charset=utf-8"),
        body,
    )
}
