//! What a call that missed does next.

use std::sync::Arc;

use larder_core::{Key, LoadError, LoadErrorKind, Moment, Ticket, guard};
use larder_flight::{Entered, Lead, Slot, Waiter};

use super::old::AtHand;
use super::{Ask, Landed, Life, Place, Round};
use crate::answer::Answer;
use crate::cache::Inner;
use crate::mode::Mode;
use crate::near::Looked;
use crate::outcome::{Outcome, Stale, Why};

type Value<V> = Option<Arc<V>>;

/// How a call that missed goes on when it has waited for others.
pub(super) enum Way<K, V> {
    Lead(Lead<K, Landed<V>>, Why),
    /// It leads a load that nobody has to wait for.
    Refresh(Lead<K, Landed<V>>, Refreshing<V>),
    /// The function runs in the call, past the cache.
    Past,
    Answered(Value<V>, Outcome),
}

/// The answer of a call that starts a refresh.
pub(super) struct Refreshing<V> {
    pub(super) answer: (Value<V>, Outcome),
    /// When what is there ends, if it has not yet: the far tier may hold the same.
    pub(super) newer_than: Option<Moment>,
}

/// What is next for a call that missed.
enum Turn<K, V> {
    Lead(Lead<K, Landed<V>>, Why),
    Join(Waiter<Landed<V>>),
    Answered(Value<V>, Outcome),
}

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// Waits for what others load, until there is an answer or the call leads.
    ///
    /// A result that the call joined is checked when it is handed out: it was loaded after the call
    /// began, or nothing was invalidated since. Else the call goes round once more; a flight that
    /// it finds then is newer than the invalidation, so a second refusal needs a second one.
    ///
    /// A call that does not look waits for the load that it finds, because there is one of a key at
    /// a time, and takes the answer of the next: that began after the call.
    pub(super) async fn way<R, M>(
        self: &Arc<Self>,
        place: &Place<K>,
        ask: &Ask,
        round: &mut Round<V>,
    ) -> Result<Way<K, V>, LoadError>
    where
        R: Answer<V, M>,
    {
        let mut began_later = guard!(BeganLater, ask.mode.looks(), true);
        loop {
            let at_hand = self.given::<R, M>(place, ask, round)?;
            if let Some((value, outcome)) = self.answers(&at_hand, round) {
                return Ok(Way::Answered(value, outcome));
            }
            let leaves = at_hand.leaves(ask, round);
            let absence = ask.mode.looks().then_some(R::ABSENCE);
            let waiter = match self.turn(place, round.call, absence) {
                Err(error) => return self.refused(&at_hand, ask, error),
                Ok(Turn::Answered(value, outcome)) => return Ok(Way::Answered(value, outcome)),
                Ok(Turn::Lead(lead, _)) if leaves && self.may_refresh(&at_hand, round) => {
                    return Ok(Way::Refresh(lead, self.refreshing(at_hand)));
                }
                Ok(Turn::Lead(lead, why)) => {
                    return Ok(Way::Lead(lead, round.refused.take().unwrap_or(why)));
                }
                Ok(Turn::Join(waiter)) => waiter,
            };
            if leaves {
                let left = waiter.leave();
                if let AtHand::Old(_) = at_hand {
                    left?;
                }
                let Refreshing { answer, .. } = self.refreshing(at_hand);
                return Ok(Way::Answered(answer.0, answer.1));
            }
            // Sources of elements that nobody looked for run side by side, so that more than one may
            // have begun before the call.
            let before = guard!(BeganLater, waiter.ticket().at < round.call.at, false);
            if !began_later || before && !ask.mode.looks() {
                began_later = true;
                match waiter.wait().await {
                    Err(error) if error.kind() == LoadErrorKind::Recursive => return Err(error),
                    _ => continue,
                }
            }
            if ask.life == Life::Detach {
                waiter.stay();
            }
            if let Some((value, outcome)) = self.join::<R, M>(waiter, place, ask, round).await? {
                return Ok(Way::Answered(value, outcome));
            }
        }
    }

    /// No load may start: what there is, or the function past the cache, or the error.
    fn refused(
        &self,
        at_hand: &AtHand<V>,
        ask: &Ask,
        error: LoadError,
    ) -> Result<Way<K, V>, LoadError> {
        match at_hand {
            AtHand::Due(entry) => {
                let outcome = self.near.outcome(entry, self.near.now());
                Ok(Way::Answered(entry.value.clone(), outcome))
            }
            AtHand::Old(old) => {
                let outcome = old.outcome(Stale::Refused, self.near.now());
                Ok(Way::Answered(old.value.clone(), outcome))
            }
            AtHand::Nothing if ask.passes(&error) => Ok(Way::Past),
            AtHand::Nothing => Err(error),
        }
    }

    /// `absence`: whether the call can say absence; `None` if it does not look.
    fn turn(
        &self,
        place: &Place<K>,
        call: Ticket,
        absence: Option<bool>,
    ) -> Result<Turn<K, V>, LoadError> {
        let lead = match self.flights.enter(&place.key, place.slot, call)? {
            Entered::Join(waiter) => return Ok(Turn::Join(waiter)),
            Entered::Lead(lead) => lead,
        };
        let Some(absence) = absence else {
            return Ok(Turn::Lead(lead, Why::WriteOnly));
        };
        let found = self.second_look(&place.key, absence);
        match guard!(SecondLook, found, Err(Why::Absent)) {
            Err(why) => Ok(Turn::Lead(lead, why)),
            Ok(landed) => {
                let (value, outcome) = landed.answer();
                lead.settle(landed);
                Ok(Turn::Answered(value, outcome))
            }
        }
    }

    /// The leader looks again, now that others wait for it: the load before it may have ended
    /// between the first look and its registration.
    pub(crate) fn second_look(&self, key: &K, absence: bool) -> Result<Landed<V>, Why> {
        let entry = match self.near.look(key) {
            Looked::Unusable(why) => return Err(why),
            Looked::Old(_) | Looked::Due(_) | Looked::Failed(_) => return Err(Why::Expired),
            Looked::Fresh(entry) if entry.value.is_none() && !absence => {
                return Err(Why::AbsenceHeld);
            }
            Looked::Fresh(entry) => entry,
        };
        Ok(Landed {
            outcome: self.near.outcome(&entry, self.near.now()),
            value: entry.value,
            tags: entry.tags.alone(),
            ticket: entry.freshness.ticket,
            fresh: entry.freshness.ends,
            old: None,
        })
    }

    /// The result of another's load; nothing if it cannot be this call's, or if it is old and there
    /// is one to be loaded.
    async fn join<R: Answer<V, M>, M>(
        self: &Arc<Self>,
        waiter: Waiter<Landed<V>>,
        place: &Place<K>,
        ask: &Ask,
        round: &mut Round<V>,
    ) -> Result<Option<(Value<V>, Outcome)>, LoadError> {
        match self.patient::<R, M>(waiter, place, ask, round).await {
            Ok(Err(answer)) => Ok(Some(answer)),
            Ok(Ok(landed)) => self.joined::<R, M>(Ok(landed), place, ask, round),
            Err(error) => self.joined::<R, M>(Err(error), place, ask, round),
        }
    }

    /// What a call makes of the load that it joined; nothing, if it has to go round.
    pub(crate) fn joined<R: Answer<V, M>, M>(
        &self,
        landed: Result<Landed<V>, LoadError>,
        place: &Place<K>,
        ask: &Ask,
        round: &mut Round<V>,
    ) -> Result<Option<(Value<V>, Outcome)>, LoadError> {
        let landed = match landed {
            Err(error) if error.kind() == LoadErrorKind::HandedOver => {
                round.refused = Some(Why::HandedOver);
                return Ok(None);
            }
            Err(error) => return self.rescue::<R, M>(place, ask, round, error).map(Some),
            Ok(landed) => landed,
        };
        match self.hand_out::<R, M>(&landed, place.slot, round.call, ask.mode) {
            Err(why) => round.refused = Some(why),
            Ok(()) if landed.old.is_some() => round.old = landed.old,
            Ok(()) => return Ok(Some((landed.value, Outcome::Joined))),
        }
        Ok(None)
    }

    /// The hand-out check.
    fn hand_out<R: Answer<V, M>, M>(
        &self,
        landed: &Landed<V>,
        slot: Slot,
        call: Ticket,
        mode: Mode,
    ) -> Result<(), Why> {
        if guard!(
            BeganLater,
            !mode.looks() && !landed.outcome.is_loaded(),
            false
        ) {
            // Its leader looked, and found what others had loaded.
            return Err(Why::WriteOnly);
        }
        let ticket = landed.ticket;
        let later = ticket.clock >= call.clock;
        let current = later || self.near.is_current(slot, &landed.tags, ticket);
        if guard!(HandOutCheck, !current, false) {
            return Err(Why::Refused);
        }
        let seen = ticket.at >= call.at || self.near.sees(ticket, self.near.now());
        if guard!(HandOutSight, !seen, false) {
            return Err(Why::Blind);
        }
        if guard!(HandOutEnd, landed.fresh <= call.at, false) {
            return Err(Why::Expired);
        }
        if landed.value.is_none() && !R::ABSENCE {
            return Err(Why::AbsenceHeld);
        }
        Ok(())
    }
}
