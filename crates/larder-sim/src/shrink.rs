//! Making a run that broke something small enough to be read.

use std::time::Duration;

use crate::plan::{Body, End, Form, Plan, Says, Verb};
use crate::violation::Violation;
use crate::{Profile, world};

/// No more runs than this are tried.
const TRIES: usize = 3_000;

/// A run that broke something, as small as it could be made.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Shrunk {
    /// What it breaks.
    pub violation: Violation,
    /// What is set, called and going wrong, line by line.
    pub plan: Vec<String>,
    /// What happens, line by line.
    pub trace: Vec<String>,
}

/// Makes the run of a seed smaller for as long as it breaks the same rule; nothing if it breaks
/// none. Takes up to some thousand runs.
#[must_use]
pub fn shrink(seed: u64, profile: Profile) -> Option<Shrunk> {
    let plan = Plan::draw(seed, profile);
    let breaks = |plan: &Plan| {
        world::run(plan, false)
            .result
            .err()
            .map(|broken| broken.rule)
    };
    let rule = breaks(&plan)?;
    let best = smallest(plan, |plan| breaks(plan) == Some(rule));
    let ran = world::run(&best, true);
    Some(Shrunk {
        violation: ran.result.err()?,
        plan: best.lines(),
        trace: ran.lines,
    })
}

/// A small plan that breaks what this one does.
fn smallest(plan: Plan, breaks: impl Fn(&Plan) -> bool) -> Plan {
    let mut search = Search {
        best: plan,
        breaks,
        tries: TRIES,
    };
    search.all();
    search.best
}

struct Search<B> {
    best: Plan,
    breaks: B,
    tries: usize,
}

impl<B: Fn(&Plan) -> bool> Search<B> {
    fn all(&mut self) {
        loop {
            let before = self.best.size();
            self.fewer();
            self.calmer();
            if self.best.size() == before || self.tries == 0 {
                break;
            }
        }
        self.plainer();
        self.fewer();
    }

    /// Leaves out calls and faults: half of them, a quarter, and so on to each by itself.
    fn fewer(&mut self) {
        let mut chunk = self.best.size().div_ceil(2).max(1);
        loop {
            let mut at = 0;
            while at < self.best.size() {
                if !self.takes(self.best.without(at..at + chunk)) {
                    at += chunk;
                }
            }
            if chunk == 1 {
                return;
            }
            chunk /= 2;
        }
    }

    /// Leaves out what goes wrong on the wire, one kind after the other.
    fn calmer(&mut self) {
        let edits: [fn(&mut Plan); 10] = [
            |plan| plan.wire.delay = Duration::ZERO,
            |plan| plan.wire.slow = 0,
            |plan| plan.wire.not_sent = 0,
            |plan| plan.wire.lost = 0,
            |plan| plan.wire.unanswered = 0,
            |plan| plan.wire.late = 0,
            |plan| plan.wire.message_delay = Duration::ZERO,
            |plan| plan.wire.message_lost = 0,
            |plan| plan.wire.message_doubled = 0,
            |plan| plan.setup.two_versions = false,
        ];
        for edit in edits {
            self.edited(edit);
        }
    }

    /// Makes each call as plain as it can be.
    fn plainer(&mut self) {
        for client in 0..self.best.clients.len() {
            for step in 0..self.best.clients[client].steps.len() {
                self.edited(|plan| plan.clients[client].steps[step].leaves = None);
                self.edited(|plan| plan.clients[client].steps[step].pause = Duration::ZERO);
                self.edited(|plan| {
                    let verb = &mut plan.clients[client].steps[step].verb;
                    *verb = plain(*verb);
                });
            }
        }
    }

    fn edited(&mut self, edit: impl FnOnce(&mut Plan)) {
        let mut plan = self.best.clone();
        edit(&mut plan);
        self.takes(plan);
    }

    /// Whether a plan breaks the rule too; if so it is the best.
    fn takes(&mut self, plan: Plan) -> bool {
        if self.tries == 0 {
            return false;
        }
        self.tries -= 1;
        let same = (self.breaks)(&plan);
        if same {
            self.best = plan;
        }
        same
    }
}

fn plain(verb: Verb) -> Verb {
    let body = Body {
        before: Duration::ZERO,
        after: Duration::ZERO,
        end: End::Value,
        says: Says::default(),
    };
    match verb {
        Verb::Load(..) => Verb::Load(Form::Plain, body),
        Verb::LoadUnder(mode, _) => Verb::LoadUnder(mode, body),
        Verb::Reload(_) => Verb::Reload(body),
        Verb::Stream(..) => Verb::Stream(Form::Plain, body, Duration::ZERO),
        Verb::LoadMany(keys, ..) => Verb::LoadMany(keys, body, false),
        Verb::Update(..) => Verb::Update(Form::Plain, body),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Trouble;

    fn count(plan: &Plan, wanted: fn(Verb) -> bool) -> usize {
        let steps = plan.clients.iter().flat_map(|client| &client.steps);
        steps.filter(|step| wanted(step.verb)).count()
    }

    /// As if two gets and a crash were what breaks, whatever is around them.
    fn breaks(plan: &Plan) -> bool {
        let crash = |trouble| matches!(trouble, Trouble::Crash(..));
        count(plan, |verb| matches!(verb, Verb::Get)) >= 2
            && plan.faults.iter().any(|fault| crash(fault.what))
    }

    #[test]
    fn what_breaks_is_all_that_is_left() {
        let plans = (0..50).map(|seed| Plan::draw(seed, Profile::Restarts));
        let broken: Vec<_> = plans.filter(breaks).collect();
        assert!(broken.len() > 5, "{} plans", broken.len());
        for plan in broken {
            let small = smallest(plan, breaks);
            assert_eq!(small.size(), 3, "{:?}", small.lines());
            assert_eq!(small.wire.lost + small.wire.late, 0);
        }
    }
}
