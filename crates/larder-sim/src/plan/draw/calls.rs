//! What the clients call.

use std::time::Duration;

use larder_engine::Mode;

use super::{Draw, LONG, millis};
use crate::Profile;
use crate::plan::{Body, Client, End, Form, Says, Setup, Step, Tag, Verb};

const MODES: [Mode; 3] = [Mode::ReadOnly, Mode::WriteOnly, Mode::Off];

/// What a value says of its own time.
const TTLS: [Duration; 3] = [millis(20), millis(100), LONGEST_TTL];

pub(super) const LONGEST_TTL: Duration = millis(1_000);

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
            Profile::Streams | Profile::Renewals | Profile::Switches => 15,
            Profile::Leases => 20,
            Profile::Calm => 0,
            _ => 5,
        };
        Step {
            pause: self.pause(busy),
            key: self.random.u64(..setup.keys),
            verb: self.verb(setup),
            leaves: self.often(leaving).then(|| self.pause(30)),
        }
    }

    fn verb(&mut self, setup: &Setup) -> Verb {
        let weights = self.weights();
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
            8 => Verb::GetMany(self.keys(setup)),
            9 => {
                let (keys, body) = (self.keys(setup), self.body());
                Verb::LoadMany(keys, body, self.is(Profile::Batches) && self.often(50))
            }
            10 => Verb::InvalidateMany(self.keys(setup)),
            11 => Verb::PutMany(self.keys(setup)),
            12 => Verb::Reload(self.body()),
            13 => {
                let form = self.of(&[Form::Plain, Form::Plain, Form::Cancelled]);
                Verb::Stream(form, self.body(), self.pause(8))
            }
            14 => Verb::LoadUnder(self.of(&MODES), self.body()),
            _ => Verb::Switch(self.of(&[MODES[0], MODES[1], MODES[2], Mode::On, Mode::On])),
        }
    }

    /// How often each verb is called; those that only some profiles have come last.
    fn weights(&self) -> [u32; 16] {
        let puts = if self.is(Profile::Puts) { 40 } else { 8 };
        let expires = if self.is(Profile::Stale) { 14 } else { 4 };
        let many = if self.is(Profile::Batches) { 30 } else { 3 };
        let [put_many, reload, stream, under, switch] = match self.profile {
            Profile::Uniform => [2, 6, 6, 4, 2],
            Profile::Batches => [10, 0, 0, 0, 0],
            Profile::Stale | Profile::Loaders => [0, 15, 15, 0, 0],
            Profile::Streams => [0, 0, 90, 2, 0],
            Profile::Renewals => [0, 80, 4, 2, 0],
            Profile::Switches => [3, 8, 8, 25, 8],
            _ => [0; 5],
        };
        let (get, load, updates, of_many) = (10, 55, puts, many / 3);
        [
            get,
            load,
            puts / 4,
            updates,
            14,
            expires,
            8,
            3,
            of_many,
            many,
            of_many,
            put_many,
            reload,
            stream,
            under,
            switch,
        ]
    }

    /// How many keys a call of several is about.
    fn keys(&mut self, setup: &Setup) -> u64 {
        match self.profile {
            Profile::Batches => self.random.u64(2..=setup.keys),
            _ => 2,
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
            Profile::Stale | Profile::Leases => 25,
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
            says: self.says(),
        }
    }

    fn says(&mut self) -> Says {
        if !self.is_wide() {
            return Says::default();
        }
        let own = if self.is(Profile::Renewals) { 40 } else { 10 };
        Says {
            ttl: self.often(own).then(|| self.of(&TTLS)),
            unstored: self.often(own / 4),
            tagged: self.often(30),
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
            says: Says::default(),
        }
    }
}
