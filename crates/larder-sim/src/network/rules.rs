//! Faults that a test places by hand.

use larder_kit::Gate;
use larder_redis::{Call, Request};

/// Where on its way a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there and back")]
pub enum Stage {
    /// On its way to the server: it has not run.
    There,
    /// On its way back: it has run, and its reply is not there.
    Back,
}

/// What is done with the first request that fits.
pub(super) struct Rule {
    pub(super) stage: Stage,
    pub(super) fits: Box<dyn Fn(&Request) -> bool + Send>,
    pub(super) deed: Deed,
}

#[derive(Clone)]
pub(super) enum Deed {
    Hold(Gate),
    Lose,
}

/// What rules do with one request.
#[derive(Default)]
pub(super) struct Orders {
    pub(super) there: Option<Deed>,
    pub(super) back: Option<Deed>,
}

impl Orders {
    /// Takes the rules that fit the request, one for each stage.
    pub(super) fn take(rules: &mut Vec<Rule>, request: &Request) -> Self {
        let mut take = |stage| {
            let mut rules_of = rules.iter();
            let at = rules_of.position(|rule| rule.stage == stage && (rule.fits)(request))?;
            Some(rules.remove(at).deed)
        };
        Self {
            there: take(Stage::There),
            back: take(Stage::Back),
        }
    }
}

/// Fits requests of the command or script with this name.
pub fn called(name: &'static str) -> impl Fn(&Request) -> bool + Send + 'static {
    move |request| name_of(request) == name
}

/// The name of a request's command or script.
pub(super) fn name_of(request: &Request) -> &'static str {
    match request.call() {
        Call::Command { name, .. } => name,
        Call::Script { script, .. } => script.name(),
    }
}
