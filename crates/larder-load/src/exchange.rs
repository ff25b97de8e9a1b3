//! One request and its answer.

use std::net::SocketAddr;
use std::time::Duration;

use crate::answer::{Answer, Whole};
use crate::failure::Failure;
use crate::link::{Buffer, Came, Link};
use crate::now::now;
use crate::target::Request;

/// What is known of a request so far; what is not there did not happen.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    pub(crate) connect: Option<Duration>,
    pub(crate) came: Option<Came>,
}

impl Exchange {
    /// Opens a connection where there is none, sends, and reads the answer to its end.
    pub(crate) async fn run(
        &mut self,
        link: &mut Option<Link>,
        address: SocketAddr,
        request: &Request,
        buffer: &Buffer,
    ) -> Result<Whole, Failure> {
        let link = match link {
            Some(link) => link,
            None => link.insert(self.open(address).await?),
        };
        let sent = link.send(&request.bytes).await;
        sent.map_err(|error| Failure::Socket(error.kind()))?;
        let mut answer: Answer = request.answer.clone();
        link.receive(&mut answer, buffer, &mut self.came).await
    }

    async fn open(&mut self, address: SocketAddr) -> Result<Link, Failure> {
        let before = now();
        let link = Link::open(address).await;
        let link = link.map_err(|error| Failure::Connect(error.kind()))?;
        self.connect = Some(now() - before);
        Ok(link)
    }
}
