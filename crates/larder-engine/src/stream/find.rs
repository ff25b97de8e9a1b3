//! The way of a stream that the near tier does not hold: join, or lead.

use std::sync::Arc;

use larder_core::{Key, LoadError, LoadErrorKind, Ticket, guard};
use larder_flight::{Entered, Lead, Shown, Waiter};

use super::drive::{Drive, Driven, Inlet};
use super::follow::Follower;
use super::log::Log;
use super::past::Past;
use super::series::Series;
use crate::answer::shape::Shared;
use crate::cache::Inner;
use crate::load::{Ask, Landed, Life, Place, Round};
use crate::mode::Mode;
use crate::outcome::{Outcome, Why};
use crate::source::Source;
use crate::terms::After;

/// Where the elements come from.
pub(super) enum Found<V: Series> {
    Held(Arc<V>, Outcome),
    Following(Follower<V>),
    /// The source itself, past the cache.
    Past(Past<V>),
}

/// What is next for a call.
enum Turn<K, V: Series> {
    Found(Found<V>),
    Lead(Lead<K, Landed<V>>, Arc<Log<V>>, Why),
    Join(Waiter<Landed<V>>),
}

impl<K: Key, V: Series> Inner<K, V> {
    pub(super) async fn find_stream<D>(
        self: Arc<Self>,
        key: K,
        ask: Ask,
        source: D,
    ) -> Result<Found<V>, LoadError>
    where
        D: Drive<V>,
    {
        let ask = ask.under(self.mode());
        if ask.mode == Mode::Off {
            return Ok(Found::Past(Past::new(self, ask, source)));
        }
        let place = self.place(key);
        let mut round = Round::here(self.near.ticket());
        loop {
            let at_hand = self.given::<Arc<V>, Shared>(&place, &ask, &round)?;
            if let Some(answer) = self.answers(&at_hand, &round) {
                return held(answer);
            }
            let waiter = match self.stream_turn(&place, &ask, &round) {
                Err(error) => return self.rescued(&place, &ask, &round, error),
                Ok(Turn::Found(found)) => return Ok(found),
                Ok(Turn::Join(waiter)) => waiter,
                Ok(Turn::Lead(lead, log, why)) => {
                    let why = round.refused.unwrap_or(why);
                    let there = place.clone();
                    let follower = self.lead_stream((lead, log, why), there, &ask, source);
                    return self.begun(follower, &place, &ask, &round).await;
                }
            };
            if ask.life == Life::Detach {
                waiter.stay();
            }
            match running(&waiter) {
                Some(log) => {
                    if let Some(follower) = Follower::joined(log, waiter) {
                        return self.begun(follower, &place, &ask, &round).await;
                    }
                }
                None => {
                    let landed = waiter.wait().await;
                    // What began before the call is not for one that does not look.
                    if !ask.mode.looks() {
                        recursive(landed)?;
                        continue;
                    }
                    let joined = self.joined::<Arc<V>, Shared>(landed, &place, &ask, &mut round);
                    if let Some(answer) = joined? {
                        return held(answer);
                    }
                }
            }
        }
    }

    /// Waits for the first element, for as long as what is past its time can be given in the place
    /// of an error.
    async fn begun(
        &self,
        mut follower: Follower<V>,
        place: &Place<K>,
        ask: &Ask,
        round: &Round<V>,
    ) -> Result<Found<V>, LoadError> {
        match follower.first().await {
            Err(error) => self.rescued(place, ask, round, error),
            Ok(()) => Ok(Found::Following(follower)),
        }
    }

    fn rescued(
        &self,
        place: &Place<K>,
        ask: &Ask,
        round: &Round<V>,
        error: LoadError,
    ) -> Result<Found<V>, LoadError> {
        held(self.rescue::<Arc<V>, Shared>(place, ask, round, error)?)
    }

    fn stream_turn(
        &self,
        place: &Place<K>,
        ask: &Ask,
        round: &Round<V>,
    ) -> Result<Turn<K, V>, LoadError> {
        let (looks, slot) = (ask.mode.looks(), place.slot);
        let log = Arc::new(Log::<V>::new(self.max_stream));
        let shown: Shown = log.clone();
        let joins = |ticket, shown: &Shown| looks && self.may_follow(ticket, shown);
        let entered = (self.flights).enter_showing(&place.key, slot, round.call, shown, joins);
        let lead = match entered? {
            Entered::Join(waiter) => return Ok(Turn::Join(waiter)),
            Entered::Lead(lead) => lead,
        };
        if !looks {
            return Ok(Turn::Lead(lead, log, Why::WriteOnly));
        }
        match self.second_look(&place.key, false) {
            Err(why) => Ok(Turn::Lead(lead, log, why)),
            Ok(landed) => {
                let answer = landed.answer();
                lead.settle(landed);
                held(answer).map(Turn::Found)
            }
        }
    }

    /// What a stream has given cannot be taken back, and its tags are known at its end: so nothing
    /// at all may have been invalidated since it began.
    fn may_follow(&self, ticket: Ticket, shown: &Shown) -> bool {
        let now = self.near.ticket();
        let whole = shown.downcast_ref::<Log<V>>().is_some_and(Log::is_whole);
        guard!(FromTheStart, whole, true)
            && guard!(FollowCheck, now.clock == ticket.clock, true)
            && self.near.sees(ticket, now.at)
    }

    fn lead_stream<D>(
        self: &Arc<Self>,
        (lead, log, why): (Lead<K, Landed<V>>, Arc<Log<V>>, Why),
        place: Place<K>,
        ask: &Ask,
        source: D,
    ) -> Follower<V>
    where
        D: Drive<V>,
    {
        if ask.life == Life::Cancel {
            lead.end_with_callers();
        }
        let inlet = Inlet::new(&log);
        let body = || source.drive(inlet);
        let nothing = |_: &Arc<V>| After::default();
        let mut source = Source::new(body, nothing, ask);
        source.wanted(why, false);
        // Its first element would wait for the other's last.
        source.wish.waits = false;
        let follow = Follower::led(log);
        let (waiter, _) = self.lead::<Driven<V>, _, _, _, _>(lead, place, source);
        follow(waiter)
    }
}

fn running<V: Series>(waiter: &Waiter<Landed<V>>) -> Option<Arc<Log<V>>> {
    let shown = Arc::clone(waiter.shown()?);
    shown.downcast().ok()
}

fn held<V: Series>((value, outcome): (Option<Arc<V>>, Outcome)) -> Result<Found<V>, LoadError> {
    let value = value.expect("absence was not asked for");
    Ok(Found::Held(value, outcome))
}

/// The error of a wait that has no end of its own.
fn recursive<T>(waited: Result<T, LoadError>) -> Result<(), LoadError> {
    match waited {
        Err(error) if error.kind() == LoadErrorKind::Recursive => Err(error),
        _ => Ok(()),
    }
}
