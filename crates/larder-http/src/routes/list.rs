//! `/deals`.

use hyper::StatusCode;
use larder_domain::{Deal, Page};
use serde::Serialize;

use super::source_failed;
use crate::Deals;
use crate::cache_status;
use crate::call::{Call, add_read};
use crate::json;
use crate::listing::Listing;
use crate::problem::Problem;
use crate::reply::Reply;

pub(crate) fn add(routes: &mut tide::Server<()>, deals: &Deals) {
    add_read(routes, "/deals", deals, read);
}

/// A page as its clients see it.
#[derive(Serialize)]
struct Shown<'a> {
    deals: &'a [Deal],
    /// The path of the next page; none after the last.
    next: Option<String>,
}

async fn read(call: Call<Deals>) -> Result<Reply, Problem> {
    let listing = Listing::parse(call.query())?;
    let (answer, why) = larder::observe(call.service().list(&listing)).await;
    let reply = match answer {
        Ok(page) => json::reply(StatusCode::OK, &Shown::of(&listing, &page))?,
        Err(error) => source_failed("deals", &error).into_reply(),
    };
    Ok(cache_status::add(reply, &why))
}

impl<'a> Shown<'a> {
    fn of(listing: &Listing, page: &'a Page) -> Self {
        let last = page.deals.last().filter(|_| page.more);
        Self {
            deals: &page.deals,
            next: last.map(|last| format!("/deals?{}", listing.query_after(last.deal_no))),
        }
    }
}
