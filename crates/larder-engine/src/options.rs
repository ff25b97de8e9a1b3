//! What one call asks for.

use std::time::Duration;

use crate::load::{Ask, Life};
use crate::mode::Mode;
use crate::refresh::Refresh;
use crate::terms::{ErrorTtl, Terms};

/// What one call sets differently from its cache; what is not set is as the cache has it.
///
/// For [`Cache::get_or_load_with`](crate::Cache::get_or_load_with) and
/// [`Cache::fetch_with`](crate::Cache::fetch_with). What it says of a load counts where this call
/// starts it; a call that joins another's load has that one's times.
///
/// ```
/// # use std::time::Duration;
/// # use larder_engine::{Cache, CallOptions, Larder};
/// # smol::block_on(async {
/// let rates: Cache<u64, u32> = Larder::builder().build()?.cache("rates").build()?;
/// let options = CallOptions::new().cancel().deadline(Duration::from_secs(2));
/// assert_eq!(rates.get_or_load_with(&5, options, || async { 7 }).await?, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct CallOptions {
    terms: Terms,
    life: Life,
    mode: Mode,
}

impl CallOptions {
    /// Nothing differs.
    pub fn new() -> Self {
        Self::default()
    }

    /// How long the loaded value is kept; under 10 ms it is returned and not stored.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.terms.ttl = Some(ttl);
        self
    }

    /// How long a loaded absence is kept, at most `ttl`; under 10 ms it is not stored.
    pub fn absent_ttl(mut self, ttl: Duration) -> Self {
        self.terms.absent_ttl = Some(ttl);
        self
    }

    /// How long the loaded result may be served after its end, while or because there is nothing
    /// newer; see [`CacheBuilder::stale`](crate::CacheBuilder::stale).
    pub fn stale(mut self, window: Duration) -> Self {
        self.terms.stale = Some(window);
        self
    }

    /// How old the loaded result may be, whatever else is said.
    pub fn max_age(mut self, age: Duration) -> Self {
        self.terms.max_age = Some(age);
        self
    }

    /// How long this call waits where there is an old result to be had. A call that runs its load
    /// itself, or borrows for it, has no such deadline.
    pub fn soft(mut self, deadline: Duration) -> Self {
        self.terms.soft = Some(deadline);
        self
    }

    /// When the loaded result is refreshed before its end.
    pub fn refresh(mut self, refresh: Refresh) -> Self {
        self.terms.refresh = Some(refresh);
        self
    }

    /// How long an error of the load is kept.
    pub fn error_ttl(mut self, ttl: ErrorTtl) -> Self {
        self.terms.error_ttl = Some(ttl);
        self
    }

    /// How long the load may take; a huge one counts as 100 years, zero ends it before it begins.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.terms.deadline = Some(deadline);
        self
    }

    /// Adds a tag to the value's.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.terms.tags.push(tag.into());
        self
    }

    /// Ends the load when the last caller that waits for it has left: for loads that cost too much
    /// to run for nobody. A caller that joins it and does not say so makes it go on.
    pub fn cancel(mut self) -> Self {
        self.life = Life::Cancel;
        self
    }

    /// How far this call uses the cache, at most: [`Mode::Off`] runs the function past it,
    /// [`Mode::WriteOnly`] loads anew what is held.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    pub(crate) fn looks(&self) -> bool {
        self.mode.looks()
    }

    pub(crate) fn ask(self) -> Ask {
        Ask {
            terms: self.terms,
            life: self.life,
            bypass: false,
            mode: self.mode,
            hand: None,
        }
    }
}
