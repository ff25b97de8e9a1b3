//! What is asked.

use std::net::SocketAddr;

use crate::address::Address;
use crate::answer::Answer;
use crate::{Http, Problem, Redis};

/// What a load asks: an [`Http`] service or a [`Redis`] server.
#[derive(Debug, Clone)]
pub struct Target(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Http(Http),
    Redis(Redis),
}

/// A target as users take it: bytes to send, in turn, and how to tell when an answer is whole.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) address: SocketAddr,
    /// At least one.
    pub(crate) requests: Vec<Request>,
    /// Whether a connection takes a second request.
    pub(crate) keep_alive: bool,
}

#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) bytes: Vec<u8>,
    pub(crate) answer: Answer,
}

impl Target {
    pub(crate) fn prepare(&self, anywhere: bool) -> Result<Prepared, Problem> {
        let (address, requests, keep_alive) = match &self.0 {
            Kind::Http(http) => (&http.address, http.requests()?, http.keep_alive),
            Kind::Redis(redis) => (&redis.address, redis.requests()?, true),
        };
        Ok(Prepared {
            address: Address::resolve(address, anywhere)?,
            requests,
            keep_alive,
        })
    }

    /// For people: the address, and what is asked first.
    pub(crate) fn name(&self) -> String {
        match &self.0 {
            Kind::Http(http) => http.name(),
            Kind::Redis(redis) => redis.name(),
        }
    }
}

impl From<Http> for Target {
    fn from(http: Http) -> Self {
        Self(Kind::Http(http))
    }
}

impl From<Redis> for Target {
    fn from(redis: Redis) -> Self {
        Self(Kind::Redis(redis))
    }
}
