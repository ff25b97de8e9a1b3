//! Byte stores that are wrong in one way each.

mod guarded;
mod told;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use larder_core::far::{Abilities, FarError, FarTicket, Guarded, Sink, Space, Want};
use larder_kit::Virtual;
use larder_memory::Shelf;

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    Nothing,
    OneCacheForAll,
    ShapeInTheName,
    CaseOfNamesIgnored,
    LookLoads,
    NeverHeld,
    AlwaysHeld,
    MoreTimeLeft,
    ReadReversed,
    WrongReason,
    ExpiredIsFresh,
    StoredBlindly,
    EntryNotCompared,
    ClearNotCompared,
    AnyNotCompared,
    TagsForgotten,
    TagsOfTheLoadOnly,
    OneShapeOnly,
    BarriersNotRenewed,
    KeptTwiceAsLong,
    PutBlindly,
    PutIsAStore,
    InvalidatedOnlyInMessages,
    OnlyTheFirstInvalidated,
    InvalidateIsExpire,
    InvalidateIsClear,
    ExpireIsInvalidate,
    ExpiredOnlyInMessages,
    TagDroppedOnlyInMessages,
    ClearedOnlyInMessages,
    TagIsClear,
    EverythingReleased,
    NothingReleased,
    TicketNeverEnds,
    Silent,
    SinksKept,
    StoresAreTold,
    SmallNumbers,
    NumberAhead,
    HeartbeatRenewsNothing,
    PurgeOfMore,
    PurgeOfNothing,
    PurgeCountsOn,
}

/// A byte store with a flaw.
pub(super) struct Flawed {
    shelf: Shelf,
    flaw: Flaw,
    kept: Mutex<Vec<Arc<dyn Sink>>>,
}

impl Flawed {
    pub(super) fn abilities(flaw: Flaw, time: &Virtual) -> Abilities {
        let flawed = Arc::new(Self {
            shelf: Shelf::new(time),
            flaw,
            kept: Mutex::default(),
        });
        let all = Abilities::default().guarded(&flawed);
        all.bus(&flawed).sweep(&flawed)
    }

    fn is(&self, flaw: Flaw) -> bool {
        self.flaw == flaw
    }

    fn space(&self, space: &Space) -> Space {
        let name = match self.flaw {
            Flaw::OneCacheForAll => "all".to_owned(),
            Flaw::ShapeInTheName => format!("{}:{}", space.cache(), space.schema()),
            Flaw::CaseOfNamesIgnored => space.cache().to_lowercase(),
            _ => space.cache().to_owned(),
        };
        let load = match self.flaw {
            Flaw::TicketNeverEnds => Duration::MAX,
            _ => space.load(),
        };
        let barrier = space.barrier();
        Space::new(name.into(), space.node(), space.schema()).lives(load, barrier)
    }

    /// The ticket with some of its tokens from a load that begins now.
    async fn renewed(
        &self,
        space: &Space,
        key: &[u8],
        ticket: &FarTicket,
        tags: &[&str],
    ) -> Result<FarTicket, FarError> {
        let tokens = match self.flaw {
            Flaw::StoredBlindly | Flaw::PutBlindly => 0..48,
            Flaw::EntryNotCompared => 0..16,
            Flaw::ClearNotCompared => 16..32,
            Flaw::AnyNotCompared => 32..48,
            _ => return Ok(ticket.clone()),
        };
        if self.is(Flaw::AnyNotCompared) && tags.is_empty() {
            return Ok(ticket.clone());
        }
        let fresh = self
            .shelf
            .read(space, &[key], &[], Want::Load)
            .await?
            .remove(0);
        let fresh = fresh.ticket.expect("a load gets a ticket");
        let mut bytes = ticket.bytes().to_vec();
        bytes.truncate(if tokens.len() == 48 { 48 } else { bytes.len() });
        if bytes.len() < 48 {
            return Ok(ticket.clone());
        }
        bytes[tokens.clone()].copy_from_slice(&fresh.bytes()[tokens]);
        Ok(FarTicket::new(Bytes::from(bytes)))
    }
}
