//! A batch on its way to several nodes.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use bytes::Bytes;
use larder_core::far::FarError;

use super::map::SlotMap;
use super::place::Place;
use super::redirect::Redirect;
use super::slot;
use crate::replies::out_of_step;
use crate::wire::{Reply, Request, Route};

/// A batch on its way: what has been answered, and where the other requests go next.
pub(super) struct Legs<'b> {
    batch: &'b [Request],
    /// The last that came for each request.
    replies: Vec<Option<Reply>>,
    open: Vec<Leg>,
    /// Whether somebody has said that a slot is not served, or nobody is known who serves it.
    down: bool,
}

/// Where one request of the batch goes next.
struct Leg {
    /// Which request.
    at: usize,
    to: Place,
    /// Whether it goes there by exception, before the slot does.
    asking: bool,
}

/// What goes to one node in one step.
pub(super) struct Load(Vec<Leg>);

/// What was learned from the replies to one step.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Learned {
    /// Slots that are another node's.
    pub(super) moved: Vec<(usize, Place)>,
    /// Whether something must wait before it is asked for again.
    pub(super) later: bool,
}

impl<'b> Legs<'b> {
    /// What no master serves is answered as a node would that knows of none.
    pub(super) fn new(batch: &'b [Request], map: &SlotMap) -> Self {
        let mut legs = Self {
            batch,
            replies: vec![None; batch.len()],
            open: Vec::with_capacity(batch.len()),
            down: false,
        };
        for (at, request) in batch.iter().enumerate() {
            let to = match request.route() {
                Route::Key(key) => map.of(slot::of(key)),
                Route::Master(number) => map.masters().get(*number),
            };
            match to.cloned() {
                Some(to) => legs.open.push(Leg::new(at, to)),
                None => {
                    legs.replies[at] = Some(Reply::error(DOWN, "nobody serves it"));
                    legs.down = true;
                }
            }
        }
        legs
    }

    /// What is to be sent now, to each node in the order of the batch; nothing: all is answered.
    pub(super) fn loads(&mut self) -> Vec<Load> {
        self.open.sort_by_key(|leg| leg.at);
        let mut loads: Vec<Load> = Vec::new();
        for leg in self.open.drain(..) {
            match loads.iter_mut().find(|load| *load.to() == leg.to) {
                Some(load) => load.0.push(leg),
                None => loads.push(Load(vec![leg])),
            }
        }
        loads
    }

    /// Takes what a node answered.
    ///
    /// # Errors
    /// The replies do not fit the requests. Or one of a slot has run and one before it has not, so
    /// that their order is lost.
    pub(super) fn take(
        &mut self,
        load: Load,
        replies: Vec<Reply>,
        learned: &mut Learned,
    ) -> Result<(), FarError> {
        if replies.len() != load.len() {
            return Err(out_of_step());
        }
        let mut replies = replies.into_iter();
        let mut passed_on = Vec::new();
        for leg in load.0 {
            // The first of two is the answer to the word that makes the exception.
            let reply = replies
                .nth(usize::from(leg.asking))
                .ok_or_else(out_of_step)?;
            let slot = slot_of(&self.batch[leg.at]);
            match Redirect::read(&reply, &leg.to) {
                Some(redirect) => {
                    passed_on.extend(slot);
                    self.open.push(leg.redirected(redirect, learned));
                }
                None if slot.is_some_and(|slot| passed_on.contains(&slot)) => {
                    return Err(FarError::unknown(Disorder));
                }
                None => self.down |= is_down(&reply),
            }
            self.replies[leg.at] = Some(reply);
        }
        Ok(())
    }

    /// Whether a slot is not served.
    pub(super) const fn is_down(&self) -> bool {
        self.down
    }

    /// The replies: what is still on its way is answered by what it was redirected with last.
    pub(super) fn end(self) -> Vec<Reply> {
        self.replies.into_iter().flatten().collect()
    }
}

const DOWN: &str = "CLUSTERDOWN";

fn is_down(reply: &Reply) -> bool {
    matches!(reply, Reply::Error { code, .. } if code == DOWN)
}

fn slot_of(request: &Request) -> Option<usize> {
    match request.route() {
        Route::Key(key) => Some(slot::of(key)),
        Route::Master(_) => None,
    }
}

impl Leg {
    fn new(at: usize, to: Place) -> Self {
        let asking = false;
        Self { at, to, asking }
    }

    fn redirected(&self, redirect: Redirect, learned: &mut Learned) -> Self {
        let at = self.at;
        match redirect {
            Redirect::Moved { slot, to } => {
                learned.moved.push((slot, to.clone()));
                Self::new(at, to)
            }
            Redirect::Ask(to) => Self {
                at,
                to,
                asking: true,
            },
            Redirect::Later => {
                learned.later = true;
                Self {
                    at,
                    to: self.to.clone(),
                    asking: self.asking,
                }
            }
        }
    }
}

impl Load {
    /// Which node it goes to.
    pub(super) fn to(&self) -> &Place {
        // There is a first leg: it made the load.
        &self.0[0].to
    }

    /// The requests, out of their batch.
    pub(super) fn requests<'b>(&self, batch: &'b [Request]) -> Cow<'b, [Request]> {
        if self.len() == batch.len() && !self.0.iter().any(|leg| leg.asking) {
            return Cow::Borrowed(batch);
        }
        let mut requests = Vec::with_capacity(self.len());
        for leg in &self.0 {
            if leg.asking {
                requests.push(Request::on_master(0, "ASKING", Vec::<Bytes>::new()));
            }
            requests.push(batch[leg.at].clone());
        }
        Cow::Owned(requests)
    }

    /// How many requests it is.
    fn len(&self) -> usize {
        let asking = self.0.iter().filter(|leg| leg.asking).count();
        self.0.len() + asking
    }
}

/// Requests of one slot were parted while it moved, and the later one ran first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Disorder;

impl fmt::Display for Disorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a slot moved between two requests")
    }
}

impl Error for Disorder {}

#[cfg(test)]
mod tests;
