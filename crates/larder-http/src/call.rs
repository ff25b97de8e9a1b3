//! A request as handlers see it.

use std::borrow::Cow;

use bytes::Bytes;
use hyper::Version;

use crate::problem::Problem;
use crate::query;
use crate::receive::Received;
use crate::reply::Reply;

/// A routed request: the service it is for, the path's parameters, the body.
pub(crate) struct Call<S> {
    request: tide::Request<()>,
    service: S,
}

impl<S> Call<S> {
    pub(crate) fn service(&self) -> &S {
        &self.service
    }

    /// A parameter of the path, decoded once. A route without it gives "".
    ///
    /// # Errors
    /// A problem naming the parameter if its escapes are broken or it is not UTF-8.
    pub(crate) fn param(&self, name: &'static str) -> Result<Cow<'_, str>, Problem> {
        query::decode(name, self.request.param(name).unwrap_or_default())
    }

    /// The query, as it came; without one "".
    pub(crate) fn query(&self) -> &str {
        self.request.url().query().unwrap_or_default()
    }

    /// Whether the client could tell an answer that ends early from a whole one: HTTP/1.0 has no chunks.
    pub(crate) fn takes_chunks(&self) -> bool {
        let received = self.request.ext::<Received>();
        received.is_some_and(|received| received.version >= Version::HTTP_11)
    }

    /// The whole body.
    pub(crate) fn body(&self) -> Bytes {
        self.request
            .ext::<Received>()
            .map(|received| received.body.clone())
            .unwrap_or_default()
    }
}

/// Makes a handler an endpoint of the router, over a service that is cloned for each request: its reply and its problem
/// both become the answer.
pub(crate) fn endpoint<S, H, F>(service: &S, handler: H) -> impl tide::Endpoint<()> + use<S, H, F>
where
    S: Clone + Send + Sync + 'static,
    H: Fn(Call<S>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Result<Reply, Problem>> + Send + 'static,
{
    let service = service.clone();
    move |request| {
        let service = service.clone();
        let answer = handler(Call { request, service });
        async move {
            let reply = answer.await.unwrap_or_else(Problem::into_reply);
            Ok(tide::Response::from(reply))
        }
    }
}

/// The endpoint of the methods that a resource does not have.
pub(crate) fn refuse(allow: &'static str) -> impl tide::Endpoint<()> {
    endpoint(&(), move |_| async move { Err(Problem::method(allow)) })
}

/// Adds a resource that is only read.
pub(crate) fn add_read<S, H, F>(routes: &mut tide::Server<()>, path: &str, service: &S, handler: H)
where
    S: Clone + Send + Sync + 'static,
    H: Fn(Call<S>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Result<Reply, Problem>> + Send + 'static,
{
    routes
        .at(path)
        .get(endpoint(service, handler.clone()))
        // Before the fallback for all methods, which would win over GET.
        .head(endpoint(service, handler))
        .all(refuse("GET, HEAD"));
}
