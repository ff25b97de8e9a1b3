//! What a flawed store does.

use std::time::Duration;

use larder_core::BoxFuture;
use larder_core::far::{
    Barrier, Bus, Change, FarError, FarTicket, Guarded, Missing, Part, Put, Read, Space, Stored,
    Want,
};

use super::{Flaw, Flawed};

impl Flawed {
    async fn tell(
        &self,
        space: &Space,
        keys: &[&[u8]],
        change: fn(u64) -> Change,
    ) -> Result<(), FarError> {
        for key in keys {
            self.shelf
                .publish(space, change(larder_core::digest(key)))
                .await?;
        }
        Ok(())
    }
}

impl Guarded for Flawed {
    fn read<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
        tags: &'a [&'a str],
        want: Want,
    ) -> BoxFuture<'a, Result<Vec<Read>, FarError>> {
        Box::pin(async move {
            let space = &self.space(space);
            let want = if self.is(Flaw::LookLoads) {
                Want::Load
            } else {
                want
            };
            let mut answers = self.shelf.read(space, keys, tags, want).await?;
            for read in &mut answers {
                read.held = match self.flaw {
                    Flaw::NeverHeld => false,
                    Flaw::AlwaysHeld => true,
                    _ => read.held,
                };
                if self.is(Flaw::WrongReason) && read.missing != Missing::Absent {
                    let tag = read.missing == Missing::Tag;
                    read.missing = if tag { Missing::Schema } else { Missing::Tag };
                }
                if let Some(found) = &mut read.found {
                    found.expired &= !self.is(Flaw::ExpiredIsFresh);
                    let more = if self.is(Flaw::MoreTimeLeft) { 1 } else { 0 };
                    found.left += Duration::from_millis(more);
                }
            }
            if self.is(Flaw::ReadReversed) {
                answers.reverse();
            }
            Ok(answers)
        })
    }

    fn store_if<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
        mut part: Part<'a>,
    ) -> BoxFuture<'a, Result<Stored, FarError>> {
        Box::pin(async move {
            let space = &match self.flaw {
                Flaw::BarriersNotRenewed => space.clone().lives(space.load(), Duration::ZERO),
                _ => self.space(space),
            };
            let ticket = match self.flaw {
                Flaw::PutBlindly => ticket.clone(),
                _ => self.renewed(space, key, ticket, part.tags).await?,
            };
            match self.flaw {
                Flaw::KeptTwiceAsLong => part.ends = part.ends.saturating_mul(2),
                Flaw::TagsForgotten => part.tags = &[],
                Flaw::TagsOfTheLoadOnly => {
                    part.tags = &part.tags[..part
                        .tags
                        .len()
                        .min(ticket.bytes().len().saturating_sub(48) / 24)];
                }
                Flaw::OneShapeOnly => {
                    let put = self.shelf.put_if(space, key, &ticket, part).await?;
                    let stored = put == Put::Stored;
                    return Ok(if stored {
                        Stored::Stored
                    } else {
                        Stored::Refused
                    });
                }
                Flaw::StoresAreTold => self.shelf.publish(space, Change::All).await?,
                _ => {}
            }
            self.shelf.store_if(space, key, &ticket, part).await
        })
    }

    fn put_if<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
        part: Part<'a>,
    ) -> BoxFuture<'a, Result<Put, FarError>> {
        Box::pin(async move {
            let space = &self.space(space);
            if self.is(Flaw::PutIsAStore) {
                let stored = self.shelf.store_if(space, key, ticket, part).await?;
                let stored = stored == Stored::Stored;
                return Ok(if stored { Put::Stored } else { Put::Deleted });
            }
            let ticket = match self.flaw {
                Flaw::PutBlindly => self.renewed(space, key, ticket, part.tags).await?,
                _ => ticket.clone(),
            };
            self.shelf.put_if(space, key, &ticket, part).await
        })
    }

    fn invalidate<'a>(
        &'a self,
        space: &'a Space,
        all: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<(), FarError>> {
        Box::pin(async move {
            let space = &self.space(space);
            match self.flaw {
                Flaw::InvalidatedOnlyInMessages => self.tell(space, all, Change::Key).await,
                Flaw::OnlyTheFirstInvalidated => {
                    self.shelf.invalidate(space, &all[..all.len().min(1)]).await
                }
                Flaw::InvalidateIsExpire => self.shelf.expire(space, all).await,
                Flaw::InvalidateIsClear => self.shelf.drop_barrier(space, Barrier::All).await,
                _ => self.shelf.invalidate(space, all).await,
            }
        })
    }

    fn expire<'a>(
        &'a self,
        space: &'a Space,
        all: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<(), FarError>> {
        Box::pin(async move {
            let space = &self.space(space);
            match self.flaw {
                Flaw::ExpireIsInvalidate => self.shelf.invalidate(space, all).await,
                Flaw::ExpiredOnlyInMessages => self.tell(space, all, Change::Expired).await,
                _ => self.shelf.expire(space, all).await,
            }
        })
    }

    fn drop_barrier<'a>(
        &'a self,
        space: &'a Space,
        barrier: Barrier<'a>,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        Box::pin(async move {
            let space = &self.space(space);
            let barrier = match (self.flaw, barrier) {
                (Flaw::TagIsClear, Barrier::Tag(_)) => Barrier::All,
                (Flaw::TagDroppedOnlyInMessages, Barrier::Tag(tag)) => {
                    let change = Change::Tag(larder_core::digest(tag.as_bytes()));
                    return self.shelf.publish(space, change).await;
                }
                (Flaw::ClearedOnlyInMessages, Barrier::All) => {
                    return self.shelf.publish(space, Change::All).await;
                }
                (_, barrier) => barrier,
            };
            self.shelf.drop_barrier(space, barrier).await
        })
    }

    fn release<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        Box::pin(async move {
            let space = &self.space(space);
            match self.flaw {
                Flaw::NothingReleased => Ok(()),
                Flaw::EverythingReleased => self.shelf.invalidate(space, &[key]).await,
                _ => self.shelf.release(space, key, ticket).await,
            }
        })
    }
}
