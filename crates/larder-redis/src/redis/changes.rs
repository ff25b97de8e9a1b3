//! Changing: each change deletes first, then writes, then tells others.

use larder_core::far::{self, Change, FarError, FarTicket};
use larder_core::guard;

use super::{At, MOST};
use crate::args;
use crate::message;
use crate::names::Barrier;
use crate::replies::Replies;
use crate::scripts::{EXPIRE, RELEASE, REMOVE};
use crate::ticket::Ticket;
use crate::wire::Request;
use bytes::Bytes;

impl At<'_> {
    pub(super) async fn invalidate(self, keys: &[&[u8]]) -> Result<(), FarError> {
        let changes = |keys: &[&[u8]]| -> Vec<_> {
            let digests = keys.iter().map(|key| larder_core::digest(key));
            digests.map(Change::Key).collect()
        };
        let entries = |keys: &[&[u8]]| keys.iter().map(|key| self.names.entry(key)).collect();
        if self.redis.is_cluster() {
            let unlink = keys.iter().map(|key| self.unlink(self.names.entry(key)));
            let changes = changes(keys);
            let (write, tell) = (
                self.all(unlink.collect(), Replies::int),
                self.announce(&changes),
            );
            return guard!(
                MessageLast,
                both(write, tell).await,
                both(tell, write).await
            );
        }
        let parts = keys.chunks(MOST);
        let removes = parts.map(|keys| self.remove(entries(keys), &changes(keys)));
        self.all(removes.collect(), Replies::int).await
    }

    pub(super) async fn expire(self, keys: &[&[u8]]) -> Result<(), FarError> {
        let most = if self.redis.is_cluster() { 1 } else { MOST };
        let expires = keys.chunks(most).map(|keys| self.marking(keys));
        self.all(expires.collect(), Replies::int).await?;
        if self.redis.is_cluster() {
            return self.announce(&expired(keys)).await;
        }
        Ok(())
    }

    pub(super) async fn drop_barrier(self, barrier: far::Barrier<'_>) -> Result<(), FarError> {
        let (barriers, change) = match barrier {
            far::Barrier::All => (vec![Barrier::Clear], Change::All),
            far::Barrier::Tag(tag) => {
                let digest = larder_core::digest(tag.as_bytes());
                let tag = Barrier::Tag(digest);
                // What every tag raises goes first: a load that learns the tag from its value takes
                // the tag's token and then looks at that.
                let dropped = guard!(AnyDropped, vec![Barrier::Any, tag], vec![tag]);
                (dropped, Change::Tag(digest))
            }
        };
        let barriers = barriers
            .into_iter()
            .map(|barrier| self.names.barrier(barrier));
        let remove = self.remove(barriers.collect(), &[change]);
        self.all(vec![remove], Replies::int).await
    }

    pub(super) async fn release(self, key: &[u8], ticket: &FarTicket) -> Result<(), FarError> {
        let Some(ticket) = Ticket::decode(ticket) else {
            return Ok(());
        };
        let wake = message::wake(self.space.node(), larder_core::digest(key));
        let token = guard!(TokenReleased, ticket.entry, self.redis.token());
        let args = vec![args::token(token), self.names.channel(), wake];
        let release = Request::script(&RELEASE, vec![self.names.entry(key)], args);
        self.all(vec![release], Replies::int).await
    }

    /// Numbers and publishes, after what is told has happened.
    pub(super) async fn announce(&self, changes: &[Change]) -> Result<(), FarError> {
        let announces = changes.chunks(MOST);
        let announces = announces.map(|changes| self.remove(Vec::new(), changes));
        self.all(announces.collect(), Replies::int).await
    }

    fn remove(&self, keys: Vec<Bytes>, changes: &[Change]) -> Request {
        let keys = std::iter::once(self.names.number()).chain(keys).collect();
        Request::script(&REMOVE, keys, self.telling(changes).collect())
    }

    fn marking(&self, keys: &[&[u8]]) -> Request {
        let mut names: Vec<_> = keys.iter().map(|key| self.names.entry(key)).collect();
        let mut args = vec![args::number(keys.len() as u64)];
        args.extend(keys.iter().map(|key| {
            let token = self.redis.token();
            self.writes(key, token);
            args::token(token)
        }));
        if !self.redis.is_cluster() {
            names.push(self.names.number());
            args.extend(self.telling(&expired(keys)));
        }
        Request::script(&EXPIRE, names, args)
    }

    /// What a script has to know to number and to publish.
    fn telling(&self, changes: &[Change]) -> impl Iterator<Item = Bytes> {
        let life = args::some_millis(self.space.barrier());
        let changes = changes
            .iter()
            .map(|change| message::change(self.space.node(), *change));
        let changes: Vec<_> = changes.collect();
        [life, self.redis.fresh(), self.names.channel()]
            .into_iter()
            .chain(changes)
    }

    fn unlink(&self, name: Bytes) -> Request {
        Request::command("UNLINK", vec![name])
    }

    /// Sends requests of one kind; an operation on nothing is nothing.
    async fn all<T>(
        &self,
        batch: Vec<Request>,
        each: impl Fn(&mut Replies) -> Result<T, FarError>,
    ) -> Result<(), FarError> {
        let count = batch.len();
        if count == 0 {
            return Ok(());
        }
        let mut replies = self.redis.ask(batch).await?;
        (0..count).try_for_each(|_| each(&mut replies).map(drop))
    }
}

/// One, and if it succeeds the other.
async fn both(
    one: impl Future<Output = Result<(), FarError>>,
    other: impl Future<Output = Result<(), FarError>>,
) -> Result<(), FarError> {
    one.await?;
    other.await
}

fn expired(keys: &[&[u8]]) -> Vec<Change> {
    let digests = keys.iter().map(|key| larder_core::digest(key));
    digests.map(Change::Expired).collect()
}
