//! Which times were asked for, and whether they make sense together.

use std::time::Duration;

use larder_core::Ttl;

use crate::build_error::BuildError;
use crate::lifetime::{Lifetime, Times};
use crate::refresh::Refresh;
use crate::terms::ErrorTtl;

/// What was asked for.
pub(in crate::cache::builder) struct Wishes {
    pub(super) ttl: Option<Duration>,
    pub(super) absent_ttl: Option<Duration>,
    pub(super) absence: bool,
    pub(super) stale: Option<Duration>,
    pub(super) max_age: Option<Duration>,
    pub(super) idle: Option<Duration>,
    pub(super) jitter: f64,
    pub(super) deadline: Duration,
    pub(super) soft: Option<Duration>,
    pub(super) throttle: Option<Duration>,
    pub(super) refresh: Option<Refresh>,
    pub(super) error_ttl: Option<Duration>,
    pub(super) error_ttl_by: Option<ErrorTtl>,
}

impl Default for Wishes {
    fn default() -> Self {
        Self {
            ttl: None,
            absent_ttl: None,
            absence: true,
            stale: None,
            max_age: None,
            idle: None,
            jitter: 0.0,
            deadline: Duration::from_secs(30),
            soft: None,
            throttle: None,
            refresh: None,
            error_ttl: None,
            error_ttl_by: None,
        }
    }
}

impl Wishes {
    pub(in crate::cache::builder) fn build(&self) -> Result<Times, BuildError> {
        self.fits()?;
        optional("error_ttl", self.error_ttl)?;
        let value = match self.ttl {
            None => Lifetime::Endless,
            Some(ttl) => Lifetime::For(checked("ttl", ttl)?),
        };
        let absent = self.absent_ttl.unwrap_or(Duration::from_secs(10));
        let absent = Lifetime::For(checked("absent_ttl", absent)?);
        let absence = if self.absence { absent } else { Lifetime::Not };
        let throttle = self.throttle.unwrap_or(Duration::from_secs(5));
        let deadline = checked("deadline", self.deadline)?.duration();
        let soft = optional("soft", self.soft)?;
        if soft.is_some_and(|soft| soft >= deadline) {
            let text = "must be shorter than `deadline`, which ends the load that it waits for";
            return Err(BuildError::new("soft", text));
        }
        Ok(Times {
            value,
            absence: absence.at_most(value),
            deadline,
            stale: optional("stale", self.stale)?.unwrap_or_default(),
            max_age: optional("max_age", self.max_age)?.unwrap_or(Duration::MAX),
            idle: optional("idle", self.idle)?,
            jitter: self.jitter,
            soft,
            throttle: checked("throttle", throttle)?.duration(),
            refresh: self.refresh,
        })
    }

    /// How long errors are kept.
    pub(in crate::cache::builder) fn errors(&self) -> Option<ErrorTtl> {
        let same = || self.error_ttl.map(ErrorTtl::of);
        self.error_ttl_by.clone().or_else(same)
    }

    /// A setting of the near tier that was made.
    pub(in crate::cache::builder) fn near(&self) -> Option<&'static str> {
        said([
            ("idle", self.idle.is_some()),
            ("error_ttl", self.error_ttl.is_some()),
            ("error_ttl_by", self.error_ttl_by.is_some()),
        ])
    }

    /// What has no sense of its own, or not together.
    fn fits(&self) -> Result<(), BuildError> {
        if !(0.0..1.0).contains(&self.jitter) {
            let text = "must be a part of the ttl from 0 to below 1";
            return Err(BuildError::new("jitter", text));
        }
        if let Some(mistake) = self.refresh.and_then(Refresh::mistake) {
            return Err(BuildError::new("refresh", mistake));
        }
        let wrong = self.alone().into_iter().find(|(wrong, ..)| *wrong);
        wrong.map_or(Ok(()), |(_, setting, text)| {
            Err(BuildError::new(setting, text))
        })
    }

    /// What says nothing without another setting, or beside one.
    fn alone(&self) -> [(bool, &'static str, &'static str); 7] {
        let endless = self.ttl.is_none();
        let nothing_old = self.stale.is_none();
        [
            (
                endless && self.stale.is_some(),
                "stale",
                "needs a `ttl`: what has no end is never past it",
            ),
            (
                endless && self.refresh.is_some(),
                "refresh",
                "needs a `ttl`: what has no end is not refreshed before it",
            ),
            (
                nothing_old && self.soft.is_some(),
                "soft",
                "needs `stale`: else there is nothing old to be given",
            ),
            (
                nothing_old && self.throttle.is_some(),
                "throttle",
                "needs `stale`: a source is left alone only while there is something old to be given",
            ),
            (
                endless && self.max_age.is_none() && self.idle.is_some(),
                "idle",
                "needs a `ttl` or a `max_age`: else what is used often is never loaded again",
            ),
            (
                !self.absence && self.absent_ttl.is_some(),
                "absent_ttl",
                "says nothing beside `cache_absence(false)`: leave one of them out",
            ),
            (
                self.error_ttl_by.is_some() && self.error_ttl.is_some(),
                "error_ttl",
                "says nothing beside `error_ttl_by`: leave one of them out",
            ),
        ]
    }
}

/// The first of these settings that was made.
pub(in crate::cache::builder) fn said<const N: usize>(
    settings: [(&'static str, bool); N],
) -> Option<&'static str> {
    let mut made = settings.into_iter().filter(|(_, made)| *made);
    made.next().map(|(setting, _)| setting)
}

pub(in crate::cache::builder) fn checked(
    setting: &'static str,
    duration: Duration,
) -> Result<Ttl, BuildError> {
    Ttl::new(duration).map_err(|error| BuildError::new(setting, error.to_string()))
}

fn optional(
    setting: &'static str,
    duration: Option<Duration>,
) -> Result<Option<Duration>, BuildError> {
    let checked = duration.map(|duration| checked(setting, duration));
    Ok(checked.transpose()?.map(Ttl::duration))
}
