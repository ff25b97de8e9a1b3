//! What is past its time, and the loads that nobody has to wait for.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_lite::FutureExt;
use larder_core::{BoxFuture, Key, LoadError, LoadErrorKind, guard};
use larder_flight::Waiter;
use larder_memory::Entry;

use super::way::Refreshing;
use super::{Ask, Landed, Place, Round};
use crate::answer::Answer;
use crate::cache::Inner;
use crate::event::What;
use crate::near::{Looked, Old};
use crate::outcome::{Outcome, Stale};

/// What a call could be given without a load.
pub(crate) enum AtHand<V> {
    Nothing,
    /// It is fresh, and to be refreshed.
    Due(Entry<V>),
    Old(Old<V>),
}

impl<V> AtHand<V> {
    /// Whether the call takes it and leaves the load to itself.
    pub(super) fn leaves(&self, ask: &Ask, round: &Round<V>) -> bool {
        let may = round.leaves && ask.mode.keeps();
        match self {
            Self::Nothing => false,
            Self::Due(_) => may,
            Self::Old(old) => {
                may && guard!(ExpiredTries, !old.expired, true) && round.soft.is_none()
            }
        }
    }
}

type Answers<V> = (Option<Arc<V>>, Outcome);

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// What the call could be given without a load; the error of one if that is kept.
    fn at_hand<R: Answer<V, M>, M>(
        &self,
        place: &Place<K>,
        ask: &Ask,
        round: &Round<V>,
    ) -> Result<AtHand<V>, LoadError> {
        if !ask.mode.looks() {
            return Ok(AtHand::Nothing);
        }
        let sayable = |value: &Option<Arc<V>>| R::ABSENCE || value.is_some();
        let near = match self.near.look(&place.key) {
            Looked::Failed(error) => return Err(error),
            Looked::Due(entry) if sayable(&entry.value) => return Ok(AtHand::Due(entry)),
            Looked::Old(old) => Some(old),
            Looked::Fresh(_) | Looked::Due(_) | Looked::Unusable(_) => None,
        };
        let far = round.old.as_ref();
        let far = far.filter(|old| self.near.serves(old, place.slot)).cloned();
        let paused = near.as_ref().is_some_and(|old| old.paused);
        let newest = [near, far].into_iter().flatten();
        let newest = newest.max_by_key(|old| old.fresh);
        let newest = newest.filter(|old| sayable(&old.value));
        let old = newest.map(|old| Old { paused, ..old });
        Ok(old.map_or(AtHand::Nothing, AtHand::Old))
    }

    /// As [`at_hand`](Self::at_hand), for the answer of a call.
    pub(crate) fn given<R: Answer<V, M>, M>(
        &self,
        place: &Place<K>,
        ask: &Ask,
        round: &Round<V>,
    ) -> Result<AtHand<V>, LoadError> {
        let at_hand = self.at_hand::<R, M>(place, ask, round);
        at_hand.inspect_err(|_| self.counters.kept_error())
    }

    /// The answer, if no load is to be tried for it now.
    pub(crate) fn answers(&self, at_hand: &AtHand<V>, round: &Round<V>) -> Option<Answers<V>> {
        let now = self.near.now();
        match at_hand {
            AtHand::Nothing => None,
            AtHand::Due(entry) if !round.leaves || self.stop.is_set() => {
                Some((entry.value.clone(), self.near.outcome(entry, now)))
            }
            AtHand::Due(_) => None,
            AtHand::Old(old) if old.paused && self.is_asked(round) => {
                Some((old.value.clone(), old.outcome(Stale::Error, now)))
            }
            AtHand::Old(old) if self.stop.is_set() && !old.expired && round.leaves => {
                Some((old.value.clone(), old.outcome(Stale::Refused, now)))
            }
            AtHand::Old(_) => None,
        }
    }

    /// Whether no far tier has to be asked before something old is used: of a cache that holds
    /// nothing here, it may hold newer.
    fn is_asked(&self, round: &Round<V>) -> bool {
        self.near.holds() || round.old.is_some()
    }

    /// Whether a load that is led may be a refresh.
    pub(super) fn may_refresh(&self, at_hand: &AtHand<V>, round: &Round<V>) -> bool {
        matches!(at_hand, AtHand::Due(_)) || self.is_asked(round)
    }

    /// The answer of a call beside whose load others may go on.
    pub(super) fn refreshing(&self, at_hand: AtHand<V>) -> Refreshing<V> {
        let now = self.near.now();
        match at_hand {
            AtHand::Due(entry) => Refreshing {
                newer_than: Some(self.near.fresh_until(&entry)),
                answer: (entry.value.clone(), self.near.outcome(&entry, now)),
            },
            AtHand::Old(old) => Refreshing {
                newer_than: None,
                answer: (old.value.clone(), old.outcome(Stale::Refresh, now)),
            },
            AtHand::Nothing => unreachable!("nobody leaves a load for nothing"),
        }
    }

    /// Waits for a load, and where there is something old no longer than the soft deadline: then the
    /// load goes on, and the answer is what is old.
    pub(super) async fn patient<R: Answer<V, M>, M>(
        self: &Arc<Self>,
        waiter: Waiter<Landed<V>>,
        place: &Place<K>,
        ask: &Ask,
        round: &Round<V>,
    ) -> Result<Result<Landed<V>, Answers<V>>, LoadError> {
        let Some(soft) = round
            .soft
            .filter(|_| self.has_old::<R, M>(place, ask, round))
        else {
            return waiter.wait().await.map(Ok);
        };
        let mut wait: Waiting<V> = Box::pin(waiter.wait());
        let left = soft.since(self.near.now());
        let landed = async { Some((&mut wait).await) };
        let passed = async {
            self.runtime.sleep(left).await;
            None
        };
        if let Some(landed) = landed.or(passed).await {
            return landed.map(Ok);
        }
        match self.old::<R, M>(place, ask, round) {
            None => wait.await.map(Ok),
            Some(old) => {
                self.watch(place.clone(), wait);
                let outcome = old.outcome(Stale::Soft, self.near.now());
                Ok(Err((old.value, outcome)))
            }
        }
    }

    fn has_old<R: Answer<V, M>, M>(&self, place: &Place<K>, ask: &Ask, round: &Round<V>) -> bool {
        self.old::<R, M>(place, ask, round).is_some()
    }

    fn old<R: Answer<V, M>, M>(
        &self,
        place: &Place<K>,
        ask: &Ask,
        round: &Round<V>,
    ) -> Option<Old<V>> {
        match self.at_hand::<R, M>(place, ask, round) {
            Ok(AtHand::Old(old)) => Some(old),
            _ => None,
        }
    }

    /// The answer of a load that this call led; nothing if it is old and there is one to be loaded.
    pub(super) fn landed<R: Answer<V, M>, M>(
        &self,
        landed: Result<Result<Landed<V>, Answers<V>>, LoadError>,
        place: &Place<K>,
        ask: &Ask,
        round: &mut Round<V>,
    ) -> Result<Option<Answers<V>>, LoadError> {
        match landed {
            Err(error) => self.rescue::<R, M>(place, ask, round, error).map(Some),
            Ok(Err(answer)) => Ok(Some(answer)),
            Ok(Ok(landed)) if landed.old.is_some() => {
                round.old = landed.old;
                Ok(None)
            }
            Ok(Ok(landed)) => Ok(Some((landed.value, landed.outcome))),
        }
    }

    /// What is old, in the place of a load that failed; else its error.
    pub(crate) fn rescue<R: Answer<V, M>, M>(
        &self,
        place: &Place<K>,
        ask: &Ask,
        round: &Round<V>,
        error: LoadError,
    ) -> Result<Answers<V>, LoadError> {
        self.leave_alone(place, &error);
        let because = Stale::of(error.kind()).filter(|_| error.falls_back());
        let Some(because) = because else {
            return Err(error);
        };
        let Some(old) = self.old::<R, M>(place, ask, round) else {
            return Err(error);
        };
        let outcome = old.outcome(because, self.near.now());
        Ok((old.value, outcome))
    }

    /// Leaves the source of a key alone for a moment, after a load that failed: from now on, so that
    /// a slow failure is not tried again at once.
    pub(crate) fn leave_alone(&self, place: &Place<K>, error: &LoadError) {
        let tried = !matches!(
            error.kind(),
            LoadErrorKind::Refused | LoadErrorKind::HandedOver
        );
        if tried && error.falls_back() {
            let due = self.near.now().after(self.times.throttle);
            let pause = || self.near.pause(&place.key, place.slot, due);
            guard!(SourceLeftAlone, pause(), ());
        }
    }

    /// Waits for a load whose callers have left, to hear whether it failed.
    pub(super) fn watch(self: &Arc<Self>, place: Place<K>, wait: Waiting<V>) {
        let inner = Arc::clone(self);
        let heard = async move {
            if let Err(error) = wait.await {
                let kind = error.kind();
                inner.counters.happened(What::RefreshFailed { kind });
                inner.leave_alone(&place, &error);
            }
        };
        // What is dropped here is the user's, and a panic of it must not end a thread of the runtime.
        let heard = AssertUnwindSafe(heard).catch_unwind();
        self.runtime.spawn(Box::pin(async {
            let _ = heard.await;
        }));
    }
}

/// A wait that its caller can leave to others.
pub(super) type Waiting<V> = BoxFuture<'static, Result<Landed<V>, LoadError>>;
