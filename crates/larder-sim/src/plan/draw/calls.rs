//! What the clients call.

use super::{Draw, LONG};
use crate::Profile;
use crate::plan::{Body, Client, End, Form, Setup, Step, Tag, Verb};

impl Draw {
    pub(super) fn clients(&mut self, setup: &Setup) -> Vec<Client> {
        let count = setup.nodes * self.random.usize(2..=3);
        let busy = self.of(&[5, 20, 60]);
        (0..count)
            .map(|at| Client {
                node: at % setup.nodes,
                steps: self.steps(setup, busy),
            })
            .collect()
    }

    fn steps(&mut self, setup: &Setup, busy: u64) -> Vec<Step> {
        let mut left = LONG;
        let mut steps = Vec::new();
        while left > 0 && steps.len() < 40 {
            let step = self.step(setup, busy);
            let pause = u64::try_from(step.pause.as_millis()).unwrap_or(left);
            left = left.saturating_sub(pause + busy);
            steps.push(step);
        }
        steps
    }

    fn step(&mut self, setup: &Setup, busy: u64) -> Step {
        let leaving = match self.profile {
            Profile::Dropped => 40,
            Profile::Calm => 0,
            _ => 5,
        };
        Step {
            pause: self.pause(busy),
            key: self.random.u64(..setup.keys),
            verb: self.verb(),
            leaves: self.often(leaving).then(|| self.pause(30)),
        }
    }

    fn verb(&mut self) -> Verb {
        let puts = if self.is(Profile::Puts) { 40 } else { 8 };
        let expires = if self.is(Profile::Stale) { 14 } else { 4 };
        let many = if self.is(Profile::Batches) { 30 } else { 3 };
        let weights = [
            10,
            55,
            puts / 4,
            puts,
            14,
            expires,
            8,
            3,
            many / 3,
            many,
            many / 3,
        ];
        let all: u32 = weights.iter().sum();
        let mut at = self.random.u32(..all);
        let mut verb = 0;
        while at >= weights[verb] {
            at -= weights[verb];
            verb += 1;
        }
        match verb {
            0 => Verb::Get,
            1 => Verb::Load(self.form(), self.body()),
            2 => Verb::Put,
            3 => Verb::Update(self.form(), self.change()),
            4 => Verb::Invalidate,
            5 => Verb::Expire,
            6 => Verb::InvalidateTag(self.of(&Tag::ALL)),
            7 => Verb::Clear,
            8 => Verb::GetMany,
            9 => Verb::LoadMany(self.body()),
            _ => Verb::InvalidateMany,
        }
    }

    fn form(&mut self) -> Form {
        self.of(&[
            Form::Plain,
            Form::Scoped,
            Form::Cancelled,
            Form::Tagged,
            Form::Tagged,
            Form::Tagged,
        ])
    }

    fn body(&mut self) -> Body {
        let failing = match self.profile {
            Profile::Loaders => 40,
            Profile::Stale => 25,
            _ => 6,
        };
        let end = if self.often(failing) {
            self.of(&[End::Error, End::Panic, End::Never])
        } else {
            End::Value
        };
        let most = if self.often(5) { 700 } else { 30 };
        Body {
            before: self.pause(5),
            after: self.pause(most),
            end,
        }
    }

    /// A function that changes the source. One that panics or never ends is its caller's own, and
    /// how long it takes is no time of the cache's.
    fn change(&mut self) -> Body {
        let end = if self.often(5) {
            End::Error
        } else {
            End::Value
        };
        Body {
            before: self.pause(5),
            after: self.pause(30),
            end,
        }
    }
}
