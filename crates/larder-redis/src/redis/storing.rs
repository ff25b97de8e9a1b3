//! Storing what a load or a writer gives, if its ticket still holds.

use std::time::Duration;

use bytes::Bytes;
use larder_core::container::Token;
use larder_core::far::{Change, FarError, FarTicket, Part, Put, Stored};
use larder_core::guard;

use super::At;
use super::claim::Claim;
use crate::args;
use crate::message;
use crate::replies::{self, Replies, Value};
use crate::scripts::{PUT, STORE, VOUCH};
use crate::wire::Request;

impl At<'_> {
    pub(super) async fn store_if(
        self,
        key: &[u8],
        ticket: &FarTicket,
        part: &Part<'_>,
    ) -> Result<Stored, FarError> {
        let Some(mut claim) = Claim::new(self, ticket, part) else {
            return Ok(Stored::Refused);
        };
        let Some(mut batch) = self.vouch(&mut claim, part.ends).await? else {
            return Ok(Stored::Refused);
        };
        let vouches = batch.len();
        batch.push(self.store(key, &claim, part)?);
        self.writes(key, claim.entry);
        let mut replies = self.redis.ask(batch).await?;
        let vouched = vouched(&mut replies, vouches, &claim)?;
        let wrote = replies.did()?;
        if !wrote {
            self.wrote_nothing(key);
        }
        let stored = wrote && vouched;
        Ok(if stored {
            Stored::Stored
        } else {
            Stored::Refused
        })
    }

    pub(super) async fn put_if(
        self,
        key: &[u8],
        ticket: &FarTicket,
        part: &Part<'_>,
    ) -> Result<Put, FarError> {
        let claim = Claim::new(self, ticket, part);
        let Some(mut claim) = claim else {
            self.invalidate(&[key]).await?;
            return Ok(Put::Deleted);
        };
        let Some(mut batch) = self.vouch(&mut claim, part.ends).await? else {
            self.invalidate(&[key]).await?;
            return Ok(Put::Deleted);
        };
        let vouches = batch.len();
        batch.push(self.put(key, &claim, part)?);
        let mut replies = self.redis.ask(batch).await?;
        let vouched = vouched(&mut replies, vouches, &claim)?;
        let put = replies.did()? && vouched;
        if self.redis.is_cluster() {
            self.announce(&[Change::Key(larder_core::digest(key))])
                .await?;
        }
        Ok(if put { Put::Stored } else { Put::Deleted })
    }

    /// What has to be asked of the barriers beside the script that stores: nothing, where that can
    /// ask by itself. On a cluster it is sent along, unless the part waits for what it tells. `None`:
    /// refused.
    async fn vouch(
        &self,
        claim: &mut Claim,
        ends: Duration,
    ) -> Result<Option<Vec<Request>>, FarError> {
        if !self.redis.is_cluster() {
            return Ok(Some(Vec::new()));
        }
        let args = std::iter::once(self.barrier_life(ends)).chain(claim.args());
        let keys = claim.keys(*self).collect();
        let request = Request::script(&VOUCH, keys, args.collect());
        if !claim.waits() {
            return Ok(Some(vec![request]));
        }
        let mut replies = self.redis.ask(vec![request]).await?;
        let Some(tokens) = tokens(&mut replies, claim)? else {
            return Ok(None);
        };
        claim.learn(tokens);
        Ok(Some(Vec::new()))
    }

    fn store(&self, key: &[u8], claim: &Claim, part: &Part<'_>) -> Result<Request, FarError> {
        let args = [
            args::token(claim.entry),
            args::millis(part.ends),
            self.barrier_life(part.ends),
            self.names.channel(),
            message::wake(self.space.node(), larder_core::digest(key)),
            claim.part(self.space.schema(), part.bytes.clone())?,
        ];
        let keys = vec![self.names.entry(key)];
        Ok(self.with_barriers(&STORE, keys, args.to_vec(), claim))
    }

    fn put(&self, key: &[u8], claim: &Claim, part: &Part<'_>) -> Result<Request, FarError> {
        let change = Change::Key(larder_core::digest(key));
        let new = guard!(PutNewToken, self.redis.token(), claim.entry);
        self.writes(key, new);
        let args = [
            args::token(claim.entry),
            args::token(new),
            args::millis(part.ends),
            self.barrier_life(part.ends),
            claim.part(self.space.schema(), part.bytes.clone())?,
            self.redis.fresh(),
            self.names.channel(),
            message::change(self.space.node(), change),
        ];
        let mut keys = vec![self.names.entry(key)];
        if !self.redis.is_cluster() {
            keys.push(self.names.number());
        }
        Ok(self.with_barriers(&PUT, keys, args.to_vec(), claim))
    }

    /// A script that asks the barriers by itself, where it may touch them.
    fn with_barriers(
        &self,
        script: &'static crate::Script,
        mut keys: Vec<Bytes>,
        mut args: Vec<Bytes>,
        claim: &Claim,
    ) -> Request {
        if !self.redis.is_cluster() {
            keys.extend(claim.keys(*self));
            args.extend(claim.args());
        }
        Request::script(script, keys, args)
    }

    /// Says what is about to be written.
    pub(super) fn writes(&self, key: &[u8], token: Token) {
        if let Some(watch) = self.watch {
            watch.own().writes(larder_core::digest(key), token);
        }
    }

    fn wrote_nothing(&self, key: &[u8]) {
        if let Some(watch) = self.watch {
            watch.own().wrote_nothing(larder_core::digest(key));
        }
    }

    /// How long barriers live that a value lists: as long as itself at least, or it would die by
    /// theirs.
    fn barrier_life(&self, ends: Duration) -> Bytes {
        args::some_millis(self.space.barrier().max(ends))
    }
}

/// Whether the barriers were as asked, where they were asked apart.
fn vouched(replies: &mut Replies, vouches: usize, claim: &Claim) -> Result<bool, FarError> {
    let mut all = true;
    for _ in 0..vouches {
        all &= tokens(replies, claim)?.is_some();
    }
    Ok(all)
}

/// The barriers' tokens, if they are as asked. One that is missing and may be has none.
fn tokens(replies: &mut Replies, claim: &Claim) -> Result<Option<Vec<Token>>, FarError> {
    let Some(all) = replies.maybe_array()? else {
        return Ok(None);
    };
    if all.len() != claim.len() {
        return Err(replies::out_of_step());
    }
    let token = |reply| match replies::value(reply)? {
        Value::Bytes(bytes) => Ok(bytes
            .first_chunk()
            .map_or(Token::new([0; 16]), |token| Token::new(*token))),
        _ => Err(replies::out_of_step()),
    };
    all.into_iter()
        .map(token)
        .collect::<Result<_, _>>()
        .map(Some)
}
