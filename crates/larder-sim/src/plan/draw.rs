//! Drawing a plan from a seed.

mod calls;
mod faults;

use std::time::Duration;

use fastrand::Rng;

use larder_engine::Refresh;

use super::{Kind, Old, Plan, Setup, Tiers, Wire};
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
        let setup = draw.wider(setup);
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

pub(super) const fn millis(millis: u64) -> Duration {
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

    /// Which tiers, how many nodes, and what the far store is.
    fn places(&mut self) -> (Tiers, usize, Kind) {
        let tiers = match self.profile {
            Profile::Blind | Profile::Messages => self.of(&[Tiers::Both, Tiers::Both, Tiers::Deaf]),
            // Both need a bus.
            Profile::Leases | Profile::Requeues => self.of(&[Tiers::Both, Tiers::Both, Tiers::Far]),
            Profile::Overflow | Profile::Unknown | Profile::Failover => {
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
        let store = match self.profile {
            Profile::Failover | Profile::Requeues => self.of(&[Kind::Redis, Kind::Cluster]),
            _ => self.of(&[Kind::Shelf, Kind::Redis, Kind::Redis, Kind::Cluster]),
        };
        (tiers, nodes, store)
    }

    fn setup(&mut self) -> Setup {
        let (tiers, nodes, store) = self.places();
        let small = self.is(Profile::Evictions);
        let heartbeat = millis(self.of(&[50, 100, 200]));
        let overflow = self.is(Profile::Overflow);
        let mut setup = Setup {
            tiers,
            store,
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
            max_stream: 1_000,
            ttl: millis(self.of(&[150, 400, 5_000])),
            longest_ttl: Duration::ZERO,
            absent_ttl: millis(self.of(&[50, 200])),
            deadline: millis(self.of(&[200, 500])),
            far_deadline: millis(self.of(&[20, 50])),
            heartbeat,
            // The least is just over a heartbeat.
            blind: heartbeat * self.of(&[5, 8, 20]) / 4,
            lease: self
                .is(Profile::Leases)
                .then(|| millis(self.of(&[20, 60, 150]))),
            requeue: self.is(Profile::Requeues).then(|| millis(1_000)),
            old: self.old(),
        };
        if self.is(Profile::Requeues) {
            // What comes back stays.
            setup.ttl = millis(5_000);
        }
        setup.longest_ttl = setup.ttl;
        setup
    }

    /// Whether it is about more than the verbs that all runs have.
    fn is_wide(&self) -> bool {
        matches!(
            self.profile,
            Profile::Uniform
                | Profile::Stale
                | Profile::Loaders
                | Profile::Streams
                | Profile::Renewals
                | Profile::Switches
        )
    }

    /// What only runs with more verbs set.
    fn wider(&mut self, mut setup: Setup) -> Setup {
        if !self.is_wide() {
            return setup;
        }
        setup.max_stream = self.of(&[2, 1_000, 1_000]);
        if setup.tiers != Tiers::Far && self.often(20) {
            setup.old.idle = Some(millis(self.of(&[15, 60])));
        }
        if self.is(Profile::Renewals) {
            setup.ttl = millis(self.of(&[60, 150, 400]));
            setup.old.refresh = self.of(&[
                None,
                Some(Refresh::At(0.3)),
                Some(Refresh::XFetch { beta: 4.0 }),
            ]);
            setup.old.stale = self.of(&[None, Some(millis(200))]);
            setup.old.soft = setup.old.soft.filter(|_| setup.old.stale.is_some());
        }
        setup.longest_ttl = calls::LONGEST_TTL.max(setup.ttl);
        setup
    }

    fn old(&mut self) -> Old {
        let often = if self.is(Profile::Stale) { 100 } else { 15 };
        if !self.often(often) {
            let throttle = millis(100);
            return Old {
                throttle,
                ..Old::default()
            };
        }
        let stale = self.of(&[100, 1_000]);
        Old {
            stale: Some(millis(stale)),
            max_age: self.often(30).then(|| millis(400)),
            soft: self.often(40).then(|| millis(15)),
            throttle: millis(self.of(&[10, 100])),
            refresh: self.of(&[
                None,
                None,
                Some(Refresh::At(0.5)),
                Some(Refresh::XFetch { beta: 1.0 }),
            ]),
            jitter: self.of(&[0.0, 0.0, 0.3]),
            error_ttl: self.often(20).then(|| millis(30)),
            idle: None,
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
            // What is sent again arrives, and in time.
            Profile::Requeues => Wire {
                delay: delay.min(millis(3)),
                ..calm
            },
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
}
