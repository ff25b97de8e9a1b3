//! What a load finds in the far tier, before its source is run.

use larder_core::far::Want;
use larder_core::{Key, LoadError, Moment, Ticket, guard};

use super::{Brought, Place};
use crate::cache::Inner;
use crate::far::{Claim, FarLook, FarTier};
use crate::mode::Mode;
use crate::near::Old;
use crate::outcome::Why;
use crate::source::Wish;

/// What a load finds in the far tier.
pub(super) enum Sought<V> {
    Brought(Brought<V>),
    /// All there is is past its time, and is to be given as it is.
    Old(Old<V>),
    /// Nothing that spares the source, and the load's claim.
    Nothing(Option<Claim>),
}

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// What the far tier has for a load, and the ticket that it goes on with.
    pub(super) async fn seek(
        &self,
        far: &FarTier<V>,
        place: &Place<K>,
        (ticket, end): (Ticket, Moment),
        wish: &mut Wish,
        absence: bool,
    ) -> Result<(Sought<V>, Ticket), LoadError> {
        if !wish.mode.looks() {
            let claim = far.claim(&place.name).await.held();
            let ticket = self.ticket_for_source(far, ticket);
            return Ok((Sought::Nothing(claim), ticket));
        }
        let looked = self.look_far_or_wait(far, place, ticket, (wish, end));
        let (looked, later) = looked.await?;
        let ticket = self.ticket_after(far, &looked, later);
        let sought = match looked {
            FarLook::Hit(found, _) if found.value.is_some() || absence => {
                Sought::Brought(self.brought(found, ticket, &wish.terms))
            }
            FarLook::Hit(..) => {
                wish.why = Why::AbsenceHeld;
                Sought::Nothing(None)
            }
            FarLook::Old(found, _) if wish.gives_back => Sought::Old(self.old_of(found, ticket)),
            FarLook::Old(found, claim) => {
                let old = self.old_of(found, ticket);
                self.keep_old(place, &old, wish.mode);
                wish.give(old);
                Sought::Nothing(claim)
            }
            FarLook::Miss(why, claim) => {
                wish.why = why.unwrap_or(wish.why);
                Sought::Nothing(claim)
            }
            FarLook::Held(claim) => Sought::Nothing(claim),
        };
        Ok((sought, ticket))
    }

    /// What the far tier has; where another node loads it, what it has when that load has ended, or
    /// the lease. Then this load holds the same claim. With the ticket of what was read last: nothing
    /// that was read before is used.
    async fn look_far_or_wait(
        &self,
        far: &FarTier<V>,
        place: &Place<K>,
        mut ticket: Ticket,
        (wish, end): (&Wish, Moment),
    ) -> Result<(FarLook<V>, Ticket), LoadError> {
        let lease = far.lease.as_ref().filter(|_| wish.waits);
        let (mut waits_until, mut again) = (None, far.has_foreign_writers());
        loop {
            let heard = lease.map(|lease| lease.listen(&place.name));
            let looked = self.look_far_for_load(far, place, ticket, wish).await?;
            // Told just now: most likely that another node has stored what was found.
            if again && matches!(looked, FarLook::Miss(Some(Why::Refused), _)) {
                (again, ticket) = (false, self.near.ticket());
                continue;
            }
            let held = guard!(LeaseAwaited, matches!(looked, FarLook::Held(_)), false);
            let Some(lease) = lease.filter(|_| held) else {
                return Ok((looked, ticket));
            };
            let heard = guard!(LeaseListensFirst, heard, Some(lease.listen(&place.name)));
            let now = self.near.now();
            let until = *waits_until.get_or_insert_with(|| {
                far.waits();
                lease.until(now, end)
            });
            if now >= until {
                far.lapses();
                return Ok((looked, ticket));
            }
            far.wait_for(heard, until).await;
            ticket = self.near.ticket();
        }
    }

    /// The ticket of a load that has found this.
    fn ticket_after(&self, far: &FarTier<V>, looked: &FarLook<V>, ticket: Ticket) -> Ticket {
        match looked {
            FarLook::Hit(..) | FarLook::Old(..) => ticket,
            FarLook::Miss(..) | FarLook::Held(_) => self.ticket_for_source(far, ticket),
        }
    }

    /// The ticket of a load that is about to read its source, and has used nothing that was read.
    ///
    /// Where others write, the store tells of a key that has just ended, and of the token that another
    /// node has just made: with the ticket of before, each load would give way to what has led to it.
    fn ticket_for_source(&self, far: &FarTier<V>, ticket: Ticket) -> Ticket {
        if far.has_foreign_writers() {
            self.near.ticket()
        } else {
            ticket
        }
    }

    /// What the far tier has. It may take no more than half of the load's time, so that a store that
    /// hangs leaves the rest to the source.
    async fn look_far_for_load(
        &self,
        far: &FarTier<V>,
        place: &Place<K>,
        ticket: Ticket,
        wish: &Wish,
    ) -> Result<FarLook<V>, LoadError> {
        let want = want(wish.mode);
        let current = |tags: &[String]| {
            let tags = self.near.tag_slots(tags);
            self.near.is_current(place.slot, &tags, ticket)
        };
        let budget = self.times.with(&wish.terms).deadline / 2;
        let tags = &wish.terms.tags;
        let looked = far.look(&place.name, tags, want, budget, current).await?;
        Ok(match looked {
            // A refresh is for something newer than what is there.
            FarLook::Hit(found, claim) if !wish.accepts(found.fresh, far.deadline) => {
                FarLook::Miss(None, claim)
            }
            looked => looked,
        })
    }
}

/// Tokens are made for what will be kept.
pub(crate) fn want(mode: Mode) -> Want {
    if mode.keeps() { Want::Load } else { Want::Look }
}
