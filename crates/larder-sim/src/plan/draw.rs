//! Drawing a plan from a seed.

use std::time::Duration;

use fastrand::Rng;

use super::{Body, Client, End, Fault, Form, Plan, Setup, Step, Tag, Tiers, Trouble, Verb, Wire};
use crate::Profile;

/// How long clients go on, if each of their calls took no time.
const LONG: u64 = 1_500;

impl Plan {
    /// The plan of a seed.
    pub(crate) fn draw(seed: u64, profile: Profile) -> Self {
        let mut draw = Draw {
            random: Rng::with_seed(seed.wrapping_mul(31).wrapping_add(profile as u64)),
            profile,
        };
        let setup = draw.setup();
        Self {
            seed,
            profile,
            wire: draw.wire(),
            clients: draw.clients(&setup),
            faults: draw.faults(&setup),
            setup,
        }
    }
}

pub(super) fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

struct Draw {
    random: Rng,
    profile: Profile,
}

impl Draw {
    fn is(&self, profile: Profile) -> bool {
        self.profile == profile
    }

    /// One of `values`.
    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.random.usize(..values.len())]
    }

    /// True so many times in a hundred.
    fn often(&mut self, percent: u32) -> bool {
        self.random.u32(..100) < percent
    }

    /// Up to `most` milliseconds; often none.
    fn pause(&mut self, most: u64) -> Duration {
        millis(self.random.u64(..=most * 2).saturating_sub(most))
    }

    fn setup(&mut self) -> Setup {
        let tiers = match self.profile {
            Profile::Blind | Profile::Messages => self.of(&[Tiers::Both, Tiers::Both, Tiers::Deaf]),
            Profile::Overflow | Profile::Unknown => {
                self.of(&[Tiers::Both, Tiers::Both, Tiers::Deaf, Tiers::Far])
            }
            _ => self.of(&[
                Tiers::Near,
                Tiers::Both,
                Tiers::Both,
                Tiers::Deaf,
                Tiers::Far,
            ]),
        };
        let nodes = match tiers {
            Tiers::Near => 1,
            _ => self.random.usize(2..=3),
        };
        let small = self.is(Profile::Evictions);
        let heartbeat = millis(self.of(&[50, 100, 200]));
        let overflow = self.is(Profile::Overflow);
        Setup {
            tiers,
            nodes,
            two_versions: self.often(30),
            keys: self.random.u64(2..=4),
            capacity: if small {
                self.of(&[1, 2])
            } else {
                self.of(&[1, 64, 200])
            },
            far_keys: if small {
                self.random.usize(3..=12)
            } else {
                1_000
            },
            queue: if overflow {
                self.of(&[1, 2])
            } else {
                self.of(&[4, 1024])
            },
            max_loads: if self.often(10) { 2 } else { 256 },
            ttl: millis(self.of(&[150, 400, 5_000])),
            absent_ttl: millis(self.of(&[50, 200])),
            deadline: millis(self.of(&[200, 500])),
            far_deadline: millis(self.of(&[20, 50])),
            heartbeat,
            blind: heartbeat * self.of(&[1, 2, 5]),
        }
    }

    fn wire(&mut self) -> Wire {
        let delay = millis(self.of(&[0, 1, 5, 12]));
        let message_delay = millis(self.of(&[0, 2, 20]));
        let calm = Wire {
            delay,
            message_delay,
            ..Wire::default()
        };
        let some = self.of(&[0, 10, 40]);
        match self.profile {
            Profile::Calm | Profile::Loaders => calm,
            Profile::Unknown | Profile::Overflow => Wire {
                slow: 30,
                not_sent: 10,
                lost: 60,
                unanswered: 60,
                late: 80,
                lateness: millis(self.of(&[30, 150, 600])),
                ..calm
            },
            Profile::Messages => Wire {
                message_lost: self.of(&[20, 100, 400]),
                message_doubled: 100,
                message_delay: millis(self.of(&[5, 40, 150])),
                ..calm
            },
            _ => Wire {
                slow: some,
                lost: some,
                unanswered: some,
                late: some,
                lateness: millis(200),
                message_lost: some,
                message_doubled: some,
                ..calm
            },
        }
    }

    fn clients(&mut self, setup: &Setup) -> Vec<Client> {
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
        let weights = [10, 55, puts / 4, puts, 14, 4, 8, 3];
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
            _ => Verb::Clear,
        }
    }

    fn form(&mut self) -> Form {
        self.of(&[Form::Plain, Form::Scoped, Form::Tagged, Form::Tagged])
    }

    fn body(&mut self) -> Body {
        let failing = if self.is(Profile::Loaders) { 40 } else { 6 };
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

    /// A function that changes the source. One that panics or never ends is its caller's own.
    fn change(&mut self) -> Body {
        let end = if self.often(5) {
            End::Error
        } else {
            End::Value
        };
        Body { end, ..self.body() }
    }

    fn faults(&mut self, setup: &Setup) -> Vec<Fault> {
        let most = match self.profile {
            Profile::Calm => 0,
            Profile::Blind | Profile::Restarts | Profile::Overflow => 6,
            _ => 2,
        };
        let count = self.random.usize(..=most);
        let mut faults: Vec<_> = (0..count).map(|_| self.fault(setup)).collect();
        faults.sort_by_key(|fault| fault.at);
        faults
    }

    fn fault(&mut self, setup: &Setup) -> Fault {
        let node = self.random.usize(..setup.nodes);
        let long = millis(self.of(&[10, 60, 300, 900]));
        let all = [
            Trouble::Pause(node, long),
            Trouble::Crash(node, long),
            Trouble::Cut(node, long),
            Trouble::Deafen(node, long),
            Trouble::Jump(long),
            Trouble::Wipe,
        ];
        let what = match self.profile {
            Profile::Blind => self.of(&[all[0], all[3], all[3], all[4]]),
            Profile::Restarts => self.of(&[all[1], all[1], all[5]]),
            Profile::Overflow | Profile::Unknown => self.of(&[all[2], all[2], all[1], all[5]]),
            _ => self.of(&all),
        };
        Fault {
            at: millis(self.random.u64(..LONG)),
            what,
        }
    }
}
