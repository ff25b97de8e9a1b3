//! From hyper's request to the router and back.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_lite::FutureExt;
use hyper::body::Incoming;
use hyper::{Request, Response, StatusCode};
use tide::http::{self, Url};

use crate::Limits;
use crate::body::Body;
use crate::problem::Problem;
use crate::receive::receive;
use crate::reply::Reply;
use crate::watch::{Phase, Watch};

/// The router with what every request needs. One for all connections.
pub(crate) struct Bridge {
    routes: tide::Server<()>,
    pub(crate) limits: Limits,
    /// Parsed once; each request clones it and sets its path.
    base: Url,
}

impl Bridge {
    pub(crate) fn new(routes: tide::Server<()>, limits: Limits) -> Self {
        let base = Url::parse("http://larder.invalid/").expect("a constant that parses");
        Self {
            routes,
            limits,
            base,
        }
    }

    /// The answer to one request; never fails, never panics.
    pub(crate) async fn respond(
        &self,
        watch: Arc<Watch>,
        request: Request<Incoming>,
    ) -> Response<Body> {
        watch.enter(Phase::Body);
        let reply = match receive(&self.base, self.limits.max_body, request).await {
            Ok(request) => {
                watch.enter(Phase::Work);
                self.route(request).await
            }
            Err(problem) => {
                watch.answer_early();
                problem.closing().into_reply()
            }
        };
        watch.enter(Phase::Write);
        reply.into_wire(&watch)
    }

    async fn route(&self, request: http::Request) -> Reply {
        let answer = AssertUnwindSafe(self.routes.respond::<_, http::Response>(request));
        match answer.catch_unwind().await {
            Ok(Ok(response)) => unpack(response),
            // The panic's text went to stderr by the hook; an error's is of no use to a client.
            Ok(Err(_)) | Err(_) => failed().into_reply(),
        }
    }
}

/// The reply a handler gave, or a problem for what the router answered by itself.
fn unpack(mut response: http::Response) -> Reply {
    if let Some(reply) = response.ext_mut().remove::<Reply>() {
        return reply;
    }
    let problem = match response.status() {
        http::StatusCode::NotFound => {
            Problem::new(StatusCode::NOT_FOUND, "there is nothing at this path")
        }
        _ => failed(),
    };
    problem.into_reply()
}

fn failed() -> Problem {
    Problem::new(
        StatusCode::INTERNAL_SERVER_ERROR,
        "the request could not be answered",
    )
}

impl std::fmt::Debug for Bridge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bridge")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
