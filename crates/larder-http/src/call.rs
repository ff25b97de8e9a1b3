//! A request as handlers see it.

use std::borrow::Cow;

use bytes::Bytes;

use crate::problem::Problem;
use crate::query;
use crate::receive::Received;
use crate::reply::Reply;

/// A routed request: the state, the path's parameters, the body.
pub(crate) struct Call<S>(tide::Request<S>);

impl<S> Call<S> {
    pub(crate) fn state(&self) -> &S {
        self.0.state()
    }

    /// A parameter of the path, decoded once. A route without it gives "".
    ///
    /// # Errors
    /// A problem naming the parameter if its escapes are broken or it is not UTF-8.
    pub(crate) fn param(&self, name: &'static str) -> Result<Cow<'_, str>, Problem> {
        query::decode(name, self.0.param(name).unwrap_or_default())
    }

    /// The query, as it came; without one "".
    pub(crate) fn query(&self) -> &str {
        self.0.url().query().unwrap_or_default()
    }

    /// The whole body.
    pub(crate) fn body(&self) -> Bytes {
        self.0
            .ext::<Received>()
            .map(|received| received.body.clone())
            .unwrap_or_default()
    }
}

/// Makes a handler an endpoint of the router: its reply and its problem both become the answer.
pub(crate) fn endpoint<S, H, F>(handler: H) -> impl tide::Endpoint<S>
where
    S: Clone + Send + Sync + 'static,
    H: Fn(Call<S>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Result<Reply, Problem>> + Send + 'static,
{
    move |request| {
        let answer = handler(Call(request));
        async move {
            let reply = answer.await.unwrap_or_else(Problem::into_reply);
            Ok(tide::Response::from(reply))
        }
    }
}
