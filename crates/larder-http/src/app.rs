//! The routes of the service.

use std::fmt;

use crate::Deals;
use crate::routes;

/// What answers which path:
///
/// | path | methods |
/// |---|---|
/// | `/deals` | GET, HEAD: the deals that pass a filter, page by page |
/// | `/deals/{no}` | GET, HEAD, PUT, DELETE: a deal as JSON, by its number |
/// | `/livez` | GET, HEAD: 200 while the process serves |
/// | `/readyz` | GET, HEAD: 200 while the source can be asked, else 503 |
///
/// Every error is a problem of RFC 9457. Answers from the cache say so in `Cache-Status` (RFC 9211).
pub struct App(tide::Server<Deals>);

impl App {
    /// The routes over a service.
    pub fn new(deals: Deals) -> Self {
        let mut routes = tide::with_state(deals);
        routes::deals::add(&mut routes);
        routes::list::add(&mut routes);
        routes::health::add(&mut routes);
        Self(routes)
    }

    pub(crate) fn into_routes(self) -> tide::Server<Deals> {
        self.0
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App")
            .field("deals", self.0.state())
            .finish()
    }
}
