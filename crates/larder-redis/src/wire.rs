//! The seam between what the adapter does and how it reaches a server.

mod reply;
mod request;

use std::sync::Weak;

use bytes::Bytes;
use larder_core::BoxFuture;
use larder_core::far::FarError;

use crate::health::Health;

pub use reply::Reply;
pub use request::{Call, Request, Route};

/// How requests reach a server and how its messages come back: everything else of the adapter lies
/// above it, so the same logic runs over sockets and in a simulation.
///
/// An implementation owns its connections: it opens, watches and replaces them, and fails at once
/// where there is none. It sets no deadline; who waits drops the future, and what was sent by then
/// is answered to nobody.
pub trait Wire: Send + Sync + 'static {
    /// Sends requests and gives their replies, in the order of the requests; a server that refuses
    /// one says so in its reply ([`Reply::Error`]) and runs the others.
    ///
    /// Requests of one batch that go to one server run there in their order, though others may run
    /// between them. On a cluster the wire splits the batch, and what goes to different servers
    /// runs in any order. An empty batch is answered without a server.
    ///
    /// To drop the future is to leave it unknown which of the requests run, and when: never to mix
    /// up the replies of later ones.
    ///
    /// # Errors
    /// Nothing is known of any reply. `NotSent`: none of the requests will run. `Unknown`: each may
    /// have run, or may run later.
    fn send(&self, batch: Vec<Request>) -> BoxFuture<'_, Result<Vec<Reply>, FarError>>;

    /// Whether keys are spread over servers. Asked at every operation, so it must be quick; the
    /// answer never changes. If so, no request names keys of two slots.
    fn is_cluster(&self) -> bool;

    /// How many servers hold keys now: what [`Route::Master`] counts. One, if it is no cluster.
    ///
    /// # Errors
    /// It could not be found out.
    fn masters(&self) -> BoxFuture<'_, Result<usize, FarError>>;

    /// Says that replies were of the wrong kind: they may belong to other requests, and whatever
    /// connection they came from had better be replaced. By default nothing is done.
    fn distrust(&self) {}

    /// Which connection requests go over now: another number whenever it was replaced, and nothing
    /// while there is none. What was sent and answered between two equal numbers went to one server.
    /// By default nothing is known of it.
    fn generation(&self) -> Option<u64> {
        None
    }

    /// How the connection is. By default nothing is known of it.
    fn health(&self) -> Option<Health> {
        None
    }

    /// Tells `ear` what is published on `channel` from now on, until the ear is gone. The
    /// subscription is made when there is a connection for it, and made again whenever that broke.
    fn subscribe(&self, channel: Bytes, ear: Weak<dyn Ear>);

    /// Whether [`track`](Self::track) can work. It never changes. By default it cannot.
    ///
    /// # Errors
    /// It cannot: the text ends a sentence about the wire.
    fn tracks(&self) -> Result<(), &'static str> {
        Err("reaches the server in a way that does not tell of writes")
    }

    /// Tells `ear` the name of each key that begins with `prefix` and is written or deleted from now
    /// on, by whomever, until the ear is gone: several changes may be told as one. A flush is a loss,
    /// after which the ear is ready again. As a subscription it is made again whenever it broke; if
    /// the server refuses, it is asked again later and the ear is not ready meanwhile.
    ///
    /// Prefixes of one wire are alike, or neither begins with the other. By default nothing is told.
    fn track(&self, _prefix: Bytes, _ear: Weak<dyn Ear>) {}
}

/// Who hears what is published on a channel, or which keys are written.
///
/// Called by the wire, one call at a time for each ear and in the order of arrival; must be quick
/// and must not block. One that panics has heard what it was told, and is told on.
pub trait Ear: Send + Sync + 'static {
    /// Somebody has published this, or written the key of this name.
    fn message(&self, payload: Bytes);

    /// The subscription broke: what is published from now on is lost. Told as soon as the wire
    /// notices, which may be much later than the break.
    fn lost(&self);

    /// The subscription stands, for the first time or again: what is published from now on comes
    /// here, and what was published before may not have come.
    fn ready(&self);
}
