//! The routes of the service.

use std::fmt;

use crate::routes;
use crate::routes::health::Health;
use crate::{Deals, Delays, Users};

/// What answers which path:
///
/// | path | methods |
/// |---|---|
/// | `/deals` | GET, HEAD: the deals that pass a filter, page by page |
/// | `/deals/{no}` | GET, HEAD, PUT, DELETE: a deal as JSON, by its number |
/// | `/deals/stream` | GET, HEAD: all deals that pass a filter, a line each, as they come |
/// | `/deals/batch` | POST: the deals of many numbers |
/// | `/users/{id}` | GET, HEAD: a user without passwords, by any text; with [`users`](Self::users) |
/// | `/delay/{seconds}` | GET, HEAD: what an upstream answers so much later; with [`delays`](Self::delays) |
/// | `/blocking/{seconds}` | GET, HEAD: the same, blocking the thread; with [`delays`](Self::delays) |
/// | `/openapi.json` | GET, HEAD: a description of all of these by OpenAPI 3.1 |
/// | `/livez` | GET, HEAD: 200 while the process serves |
/// | `/readyz` | GET, HEAD: 200 while the source can be asked, else 503; and the [state](Self::far_state) of a shared store |
///
/// Every error is a problem of RFC 9457. Answers from the cache say so in `Cache-Status` (RFC 9211).
pub struct App {
    routes: tide::Server<()>,
    health: Health,
}

impl App {
    /// The routes over deals.
    pub fn new(deals: &Deals) -> Self {
        let mut routes = tide::new();
        routes::deals::add(&mut routes, deals);
        routes::list::add(&mut routes, deals);
        routes::stream::add(&mut routes, deals);
        routes::batch::add(&mut routes, deals);
        routes::openapi::add(&mut routes);
        let health = Health::new(deals);
        routes::health::add(&mut routes, &health);
        Self { routes, health }
    }

    /// Adds the route to users.
    #[must_use]
    pub fn users(mut self, users: &Users) -> Self {
        routes::users::add(&mut self.routes, users);
        self
    }

    /// Adds the two routes that wait for an upstream.
    #[must_use]
    pub fn delays(mut self, delays: &Delays) -> Self {
        routes::delay::add(&mut self.routes, delays);
        self
    }

    /// Lets `/readyz` say how the store is that is shared with others: in one word, asked each time. It does not make the
    /// service less ready, for everything is answered without it.
    #[must_use]
    pub fn far_state(self, state: impl Fn() -> &'static str + Send + Sync + 'static) -> Self {
        self.health.watch_far(state);
        self
    }

    /// The routes of an upstream for [`Delays`]: `/{seconds}` answers so much later. They run on whatever serves them,
    /// which must not be threads that [`Delays`] blocks.
    pub fn upstream() -> Self {
        let mut routes = tide::new();
        routes::upstream::add(&mut routes);
        let health = Health::default();
        Self { routes, health }
    }

    pub(crate) fn into_routes(self) -> tide::Server<()> {
        self.routes
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").finish_non_exhaustive()
    }
}
