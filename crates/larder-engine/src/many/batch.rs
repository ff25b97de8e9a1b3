//! The way of a batch: what is held, what others load, and what it loads itself.

use std::mem;
use std::sync::Arc;

use larder_core::{Key, LoadError, LoadErrorKind, Ticket};
use larder_flight::{Entered, Lead, Leads, Waiter};

use super::asked::Asked;
use crate::answer::shape::{Maybe, Shared};
use crate::cache::Inner;
use crate::call::Call;
use crate::load::{Answered, Ask, Landed, Life, Place, Places, Round as Going};
use crate::outcome::Why;

/// A batch under way.
pub(super) struct Batch<'a, K, V> {
    inner: &'a Inner<K, V>,
    ask: &'a Ask,
    /// Whether what it joins now began after the call, for one that does not look.
    began_later: bool,
    /// Taken when the call began.
    call: Ticket,
    answers: Vec<Option<Answered<V>>>,
    open: Vec<Open<'a, K, V>>,
}

/// A key that has no answer yet; dropped, it counts as abandoned.
pub(super) struct Open<'a, K, V> {
    at: usize,
    place: Place<K>,
    round: Going<V>,
    call: Call<'a>,
}

/// The shape of a batch's answers: it can say absence.
type Shape<V> = Option<Arc<V>>;

/// A key that the batch loads.
pub(super) struct Led<K> {
    pub(super) place: Place<K>,
    pub(super) ticket: Ticket,
    pub(super) why: Why,
}

impl<K: Key> Places<K> for Arc<[Led<K>]> {
    fn places(&self) -> impl Iterator<Item = &Place<K>> {
        self.iter().map(|led| &led.place)
    }
}

/// A key that another call loads.
type Joined<'a, K, V> = (Open<'a, K, V>, Waiter<Landed<V>>);

/// A key that the batch leads, and why.
type Leading<'a, K, V> = (Open<'a, K, V>, Lead<K, Landed<V>>, Why);

/// What a round of a batch is to do: load some keys, and wait for others.
pub(super) struct Round<'a, K, V> {
    pub(super) own: Vec<Open<'a, K, V>>,
    pub(super) led: Vec<Led<K>>,
    pub(super) leads: Leads<K, Landed<V>>,
    pub(super) joined: Vec<Joined<'a, K, V>>,
}

impl<'a, K: Key, V: Send + Sync + 'static> Batch<'a, K, V> {
    /// Looks what the near tier holds.
    pub(super) fn new(inner: &'a Inner<K, V>, asked: &Asked<K>, ask: &'a Ask) -> Self {
        let call = inner.near.ticket();
        let look = |key| inner.look(key, true, |_| ask.mode.looks()).map(Ok);
        let answers: Vec<_> = asked.keys.iter().map(look).collect();
        let open = asked.keys.iter().zip(&answers).enumerate();
        let open = open.filter(|(_, (_, answer))| answer.is_none());
        let open = open.map(|(at, (key, _))| Open {
            at,
            place: inner.place(key.clone()),
            round: Going::here(call),
            call: Call::begin(&inner.name, &inner.counters),
        });
        Self {
            open: open.collect(),
            inner,
            began_later: ask.mode.looks(),
            ask,
            call,
            answers,
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn answers(self) -> Vec<Answered<V>> {
        let answers = self.answers.into_iter();
        let answers = answers.map(|answer| answer.expect("no key is open"));
        answers.collect()
    }

    /// Enters the flights of all open keys. Nothing waits between here and the start of the load.
    pub(super) fn enter(&mut self) -> Round<'a, K, V> {
        let open = mem::take(&mut self.open).into_iter();
        let open: Vec<_> = open.filter_map(|open| self.not_at_hand(open)).collect();
        let places = open.iter().map(|open| (&open.place.key, open.place.slot));
        let entered = self.inner.flights.enter_many(places, self.call);
        let (mut own, mut led, mut leads, mut joined) = (vec![], vec![], vec![], vec![]);
        for (open, entered) in open.into_iter().zip(entered) {
            match entered {
                Err(error) => {
                    let rescued = self.rescued(&open, error);
                    self.answer(open, rescued);
                }
                Ok(Entered::Join(waiter)) => joined.push((open, waiter)),
                Ok(Entered::Lead(lead)) => {
                    let Some((open, lead, why)) = self.second_look(open, lead) else {
                        continue;
                    };
                    led.push(Led {
                        place: open.place.clone(),
                        ticket: lead.ticket(),
                        why,
                    });
                    leads.push(lead);
                    own.push(open);
                }
            }
        }
        if self.ask.life == Life::Detach {
            joined.iter().for_each(|(_, waiter)| waiter.stay());
        }
        Round {
            own,
            led,
            leads: leads.into_iter().collect(),
            joined,
        }
    }

    /// The lead, unless the load before it has ended between the first look and here.
    fn second_look(
        &mut self,
        open: Open<'a, K, V>,
        lead: Lead<K, Landed<V>>,
    ) -> Option<Leading<'a, K, V>> {
        let found = match self.ask.mode.looks() {
            true => self.inner.second_look(&open.place.key, true),
            false => Err(Why::WriteOnly),
        };
        match found {
            Err(why) => {
                let why = open.round.refused.unwrap_or(why);
                Some((open, lead, why))
            }
            Ok(landed) => {
                let found = landed.answer();
                lead.settle(landed);
                self.answer(open, Ok(found));
                None
            }
        }
    }

    /// Notes what the batch's own load gave.
    pub(super) fn landed(&mut self, open: Open<'a, K, V>, landed: Result<Landed<V>, LoadError>) {
        let answer = match landed {
            Ok(landed) => Ok(landed.answer()),
            Err(error) => self.rescued(&open, error),
        };
        self.answer(open, answer);
    }

    /// Waits for what others load; what is refused when it is handed out stays open.
    ///
    /// A batch that does not look waits for what it finds, because there is one load of a key at a
    /// time, and takes the answer of the next: that began after the call.
    pub(super) async fn join(&mut self, joined: Vec<Joined<'a, K, V>>) {
        let began_later = mem::replace(&mut self.began_later, true);
        for (open, waiter) in joined {
            let before = waiter.ticket().at < self.call.at;
            if began_later && (self.ask.mode.looks() || !before) {
                self.hand_out(open, waiter).await;
                continue;
            }
            match waiter.wait().await {
                Err(error) if error.kind() == LoadErrorKind::Recursive => {
                    self.answer(open, Err(error));
                }
                _ => self.open.push(open),
            }
        }
    }

    async fn hand_out(&mut self, mut open: Open<'a, K, V>, waiter: Waiter<Landed<V>>) {
        let landed = waiter.wait().await;
        let (place, round) = (&open.place, &mut open.round);
        let joined = (self.inner).joined::<Shape<V>, Maybe<Shared>>(landed, place, self.ask, round);
        match joined {
            Ok(Some(answer)) => self.answer(open, Ok(answer)),
            Err(error) => self.answer(open, Err(error)),
            Ok(None) => self.open.push(open),
        }
    }

    /// What is past its time, in the place of an error.
    fn rescued(&self, open: &Open<'a, K, V>, error: LoadError) -> Answered<V> {
        let (place, round) = (&open.place, &open.round);
        (self.inner).rescue::<Shape<V>, Maybe<Shared>>(place, self.ask, round, error)
    }

    /// The key, unless an error of it is kept, or its source is to be left alone.
    fn not_at_hand(&mut self, open: Open<'a, K, V>) -> Option<Open<'a, K, V>> {
        let (place, round) = (&open.place, &open.round);
        let at_hand = (self.inner).given::<Shape<V>, Maybe<Shared>>(place, self.ask, round);
        let answer = match at_hand {
            Err(error) => Err(error),
            Ok(at_hand) => match self.inner.answers(&at_hand, round) {
                None => return Some(open),
                Some(answer) => Ok(answer),
            },
        };
        self.answer(open, answer);
        None
    }

    fn answer(&mut self, open: Open<'a, K, V>, answer: Answered<V>) {
        open.call.answered(&answer);
        self.answers[open.at] = Some(answer);
    }
}
