//! Outcomes of the cached calls inside a future.

use std::cell::RefCell;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::Outcome;
use crate::scope::{Inside, Scope};

thread_local! {
    static SEEN: RefCell<Vec<Observation>> = const { RefCell::new(Vec::new()) };
}

/// One cached call and its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    cache: Arc<str>,
    outcome: Outcome,
}

impl Observation {
    /// The cache's name.
    #[must_use]
    pub fn cache(&self) -> &str {
        &self.cache
    }

    /// Why the call's answer is what it is.
    #[must_use]
    pub const fn outcome(&self) -> &Outcome {
        &self.outcome
    }
}

/// Runs `future` and lists the outcome of every cached call in it, in the order in which the calls
/// ended.
///
/// It follows the task from thread to thread and nests: the outer list holds the inner one's. Calls
/// inside a detached load or a spawned task belong to those and are not seen. A future that is
/// dropped has seen nothing. Without it a call pays one thread-local flag; with it some tens of
/// nanoseconds.
///
/// ```
/// # use larder_engine::{Cache, Larder, Outcome, Why, observe};
/// # smol::block_on(async {
/// let deals: Cache<u64, String> = Larder::builder().build()?.cache("deals").build()?;
/// let call = deals.get_or_load(&5, || async { "cart".to_owned() });
/// let (deal, why) = observe(call).await;
/// assert_eq!(deal?, "cart");
/// assert_eq!(why[0].cache(), "deals");
/// assert_eq!(why[0].outcome().detail(), "loaded");
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
pub fn observe<F: Future>(future: F) -> Observed<F> {
    Observed {
        future,
        seen: Vec::new(),
    }
}

pin_project! {
    /// The future of [`observe`].
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct Observed<F> {
        #[pin]
        future: F,
        seen: Vec<Observation>,
    }
}

impl<F: Future> Future for Observed<F> {
    type Output = (F::Output, Vec<Observation>);

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let sink = Sink::enter(this.seen);
        let polled = this.future.poll(context);
        drop(sink);
        let output = ready!(polled);
        Poll::Ready((output, told(mem::take(this.seen))))
    }
}

/// As [`observe`], for functions that block: runs `call` in this thread and lists the outcome of
/// every cached call that it makes here.
///
/// ```
/// # use larder_engine::{Cache, Larder, observe_blocking};
/// # fn title(deals: &Cache<u64, String>, no: u64) -> Option<std::sync::Arc<String>> {
/// #     smol::block_on(deals.get(&no)).value()
/// # }
/// let deals: Cache<u64, String> = Larder::builder().build()?.cache("deals").build()?;
/// # let _ = smol::block_on(deals.put(&5, "cart".to_owned()));
/// let (title, why) = observe_blocking(|| title(&deals, 5));
/// assert_eq!(title.as_deref().map(String::as_str), Some("cart"));
/// assert_eq!(why[0].outcome().detail(), "near");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn observe_blocking<T>(call: impl FnOnce() -> T) -> (T, Vec<Observation>) {
    let mut seen = Vec::new();
    let sink = Sink::enter(&mut seen);
    let output = call();
    drop(sink);
    (output, told(seen))
}

/// What was seen, which who observes around it sees too.
fn told(seen: Vec<Observation>) -> Vec<Observation> {
    if Scope::here().is_observed() {
        SEEN.with_borrow_mut(|outer| outer.extend_from_slice(&seen));
    }
    seen
}

/// The thread's sink is this future's list for as long as one poll takes, also if it panics.
struct Sink<'a> {
    seen: &'a mut Vec<Observation>,
    _inside: Inside,
}

impl<'a> Sink<'a> {
    fn enter(seen: &'a mut Vec<Observation>) -> Self {
        SEEN.with_borrow_mut(|sink| mem::swap(sink, seen));
        let inside = Inside::enter(Scope::here().observed());
        Self {
            seen,
            _inside: inside,
        }
    }
}

impl Drop for Sink<'_> {
    fn drop(&mut self) {
        SEEN.with_borrow_mut(|sink| mem::swap(sink, self.seen));
    }
}

/// Notes an outcome for whoever observes.
#[inline]
pub(crate) fn record(cache: &Arc<str>, outcome: Outcome) {
    if Scope::here().is_observed() {
        note(cache, outcome);
    }
}

#[cold]
fn note(cache: &Arc<str>, outcome: Outcome) {
    let observation = Observation {
        cache: Arc::clone(cache),
        outcome,
    };
    SEEN.with_borrow_mut(|seen| seen.push(observation));
}
