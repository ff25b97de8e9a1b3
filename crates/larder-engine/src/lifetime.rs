//! How long a result is kept.

use std::time::Duration;

use larder_core::{Ttl, guard};

use crate::refresh::Refresh;
use crate::span::Life;
use crate::terms::{After, Terms};

/// How long a result is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lifetime {
    Endless,
    For(Ttl),
    /// Returned, not stored.
    Not,
}

impl Lifetime {
    /// A duration given with a call: one that is no ttl means "do not store".
    fn of_call(duration: Duration) -> Self {
        Ttl::new(duration).map_or(Self::Not, Self::For)
    }

    /// The duration; `None` if it is not stored, the longest there is if it is endless.
    fn duration(self) -> Option<Duration> {
        match self {
            Self::Endless => Some(Ttl::MAX.duration()),
            Self::For(ttl) => Some(ttl.duration()),
            Self::Not => None,
        }
    }

    /// The duration, if it has an end.
    pub(crate) fn finite(self) -> Option<Duration> {
        match self {
            Self::For(ttl) => Some(ttl.duration()),
            Self::Endless | Self::Not => None,
        }
    }

    /// The shorter of both.
    pub(crate) fn at_most(self, other: Self) -> Self {
        match (self, other) {
            (Self::Not, _) | (_, Self::Not) => Self::Not,
            (Self::Endless, other) | (other, Self::Endless) => other,
            (Self::For(one), Self::For(two)) => Self::For(one.min(two)),
        }
    }
}

/// A cache's own settings of time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) value: Lifetime,
    pub(crate) absence: Lifetime,
    pub(crate) deadline: Duration,
    /// How long after its end a result may still be served while or because there is no newer one.
    pub(crate) stale: Duration,
    /// How old a result may be whatever else is said; [`Duration::MAX`] if nothing is.
    pub(crate) max_age: Duration,
    pub(crate) idle: Option<Duration>,
    pub(crate) jitter: f64,
    pub(crate) soft: Option<Duration>,
    pub(crate) throttle: Duration,
    pub(crate) refresh: Option<Refresh>,
}

impl Times {
    pub(crate) fn with(self, terms: &Terms) -> Self {
        let value = terms.ttl.map_or(self.value, Lifetime::of_call);
        let absence = terms.absent_ttl.map_or(self.absence, Lifetime::of_call);
        let longest = Ttl::MAX.duration();
        Self {
            value,
            absence: absence.at_most(value),
            deadline: terms.deadline.unwrap_or(self.deadline),
            stale: terms.stale.unwrap_or(self.stale).min(longest),
            max_age: terms.max_age.unwrap_or(self.max_age),
            idle: terms.idle.or(self.idle),
            jitter: terms.jitter.map_or(self.jitter, part),
            soft: terms.soft.or(self.soft),
            throttle: self.throttle,
            refresh: terms.refresh.or(self.refresh),
        }
    }

    pub(crate) fn after(self, after: &After) -> Self {
        let own = guard!(TtlOfValue, after.ttl, None);
        let value = own.map_or(self.value, Lifetime::of_call);
        let value = if guard!(UnlessOfValue, after.unless, false) {
            Lifetime::Not
        } else {
            value
        };
        Self {
            value,
            absence: self.absence.at_most(value),
            stale: after.stale.unwrap_or(self.stale).min(Ttl::MAX.duration()),
            ..self
        }
    }

    fn of(&self, is_value: bool) -> Lifetime {
        if is_value { self.value } else { self.absence }
    }

    /// What a result of this kind and age gets; `None` if it is not to be kept. `random` shortens
    /// it, and decides about its refresh.
    pub(crate) fn life(&self, is_value: bool, age: Duration, random: &Dice<'_>) -> Option<Life> {
        let lifetime = self.of(is_value);
        let most = self.max_age.saturating_sub(age);
        let ttl = jittered(lifetime.duration()?, self.jitter, random).min(most);
        if ttl < Ttl::MIN.duration() {
            return None;
        }
        Some(Life {
            ttl,
            stale: self.stale.min(most - ttl),
            endless: lifetime == Lifetime::Endless && ttl == Ttl::MAX.duration(),
            idle: self.idle,
            due: self.refresh.map(|refresh| refresh.after(ttl, age, random)),
        })
    }
}

/// Where randomness comes from, asked for where it is needed.
pub(crate) type Dice<'a> = dyn Fn() -> f64 + Sync + 'a;

/// Between all of it and all but the fraction `jitter`, and no less than the least there is.
fn jittered(ttl: Duration, jitter: f64, random: &Dice<'_>) -> Duration {
    if jitter <= 0.0 {
        return ttl;
    }
    ttl.mul_f64(1.0 - jitter * random())
        .max(Ttl::MIN.duration())
        .min(ttl)
}

/// What a call says of a part of something; nonsense is nothing.
fn part(said: f64) -> f64 {
    if said.is_nan() {
        0.0
    } else {
        said.clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    fn lasting(value: u64) -> Lifetime {
        Lifetime::For(Ttl::new(secs(value)).unwrap())
    }

    fn times(ttl: u64) -> Times {
        Times {
            value: lasting(ttl),
            absence: lasting(10),
            deadline: secs(30),
            stale: Duration::ZERO,
            max_age: Duration::MAX,
            idle: None,
            jitter: 0.0,
            soft: None,
            throttle: secs(5),
            refresh: None,
        }
    }

    const LEAST: &Dice<'_> = &|| 0.0;
    const MOST: &Dice<'_> = &|| 1.0 - f64::EPSILON;

    #[test]
    fn absence_never_outlives_values() {
        let terms = Terms {
            ttl: Some(secs(5)),
            ..Terms::default()
        };
        assert_eq!(times(300).with(&terms).absence, lasting(5));
        assert_eq!(times(300).with(&Terms::default()).absence, lasting(10));
    }

    #[test]
    fn a_call_with_no_usable_ttl_does_not_store() {
        assert_eq!(Lifetime::of_call(Duration::ZERO), Lifetime::Not);
        assert_eq!(Lifetime::of_call(Duration::MAX), Lifetime::For(Ttl::MAX));
    }

    #[test]
    fn t1_chance_only_shortens_and_never_to_nothing() {
        for (jitter, least) in [
            (0.0, secs(300)),
            (0.1, secs(270)),
            (0.999, Ttl::MIN.duration()),
        ] {
            let times = Times {
                jitter,
                ..times(300)
            };
            let ttl = |random| times.life(true, Duration::ZERO, random).unwrap().ttl;
            assert_eq!(ttl(LEAST), secs(300));
            assert!(ttl(MOST) >= least && ttl(MOST) <= secs(300), "{jitter}");
        }
        let short = Times {
            value: Lifetime::For(Ttl::MIN),
            jitter: 0.9,
            ..times(300)
        };
        let life = short.life(true, Duration::ZERO, MOST).unwrap();
        assert_eq!(life.ttl, Ttl::MIN.duration());
    }

    #[test]
    fn fc14_an_age_cap_under_ttl_and_window_shortens_both() {
        for (max_age, age, ttl, stale) in [
            (1000, 0, Some(300), 60),
            (320, 0, Some(300), 20),
            (320, 10, Some(300), 10),
            (200, 0, Some(200), 0),
            (200, 200, None, 0),
            (200, 900, None, 0),
        ] {
            let times = Times {
                max_age: secs(max_age),
                stale: secs(60),
                ..times(300)
            };
            let life = times.life(true, secs(age), LEAST);
            assert_eq!(life.map(|life| life.ttl), ttl.map(secs), "{max_age} {age}");
            assert_eq!(life.map_or(secs(0), |life| life.stale), secs(stale));
        }
    }

    #[test]
    fn bug_d3_sums_of_huge_times_do_not_panic() {
        let terms = Terms {
            ttl: Some(Duration::MAX),
            stale: Some(Duration::MAX),
            max_age: Some(Duration::MAX),
            idle: Some(Duration::MAX),
            jitter: Some(f64::INFINITY),
            refresh: Some(Refresh::XFetch { beta: f64::MAX }),
            ..Terms::default()
        };
        let times = times(300).with(&terms).after(&After {
            stale: Some(Duration::MAX),
            ..After::default()
        });
        let now = larder_core::Moment::from_nanos(u64::MAX - 5);
        for random in [LEAST, MOST] {
            let life = times.life(true, Duration::MAX, random);
            assert!(life.is_none(), "older than anything may be");
            let life = times.life(true, secs(1), random).unwrap();
            let span = life.span(now, Duration::ZERO);
            assert!(span.fresh <= span.until);
        }
    }
}
