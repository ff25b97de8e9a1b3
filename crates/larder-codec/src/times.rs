//! The times in a frame.

use std::time::Duration;

/// The times that a frame carries about its value. None of them is a point in time: no machine's
/// clock is trusted by another. How long the value may still be used is the store's to say.
///
/// A frame has nine bytes for them, so each is a short floating-point number of milliseconds, good
/// for more than 100 years; what is longer becomes the longest. Rounding never makes a value look
/// fresher than it is:
///
/// | time | exact up to | then within | rounded |
/// |---|---|---|---|
/// | ttl | 17 minutes | 2 ppm | down |
/// | stale window | 17 minutes | 2 ppm | up |
/// | age when stored | 4 s | 0.05 % | up |
/// | load cost | 15 ms | 12.5 % | up |
///
/// As ttl and stale window also whole seconds are exact up to 2 hours, minutes up to 9 hours, hours
/// up to 37 and days up to 12.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a frame of this version has no others"
)]
pub struct Times {
    /// How long the value is fresh, from its birth.
    pub ttl: Duration,
    /// How long after that it may be served stale.
    pub stale: Duration,
    /// How old it was when it was stored.
    pub age: Duration,
    /// How long its load took.
    pub cost: Duration,
}

/// Bytes of the times in a frame.
pub(crate) const SIZE: usize = 9;

const TTL: Packing = Packing(19);
const STALE: Packing = Packing(19);
const AGE: Packing = Packing(11);
const COST: Packing = Packing(3);

impl Times {
    /// The times as a reader of the frame gets them.
    #[must_use]
    pub fn rounded(&self) -> Self {
        Self::unpack(self.pack())
    }

    pub(crate) fn pack(&self) -> [u8; SIZE] {
        let [t0, t1, t2, _] = TTL.floor(self.ttl).to_le_bytes();
        let [s0, s1, s2, _] = STALE.ceil(self.stale).to_le_bytes();
        let [a0, a1, ..] = AGE.ceil(self.age).to_le_bytes();
        let [c0, ..] = COST.ceil(self.cost).to_le_bytes();
        [t0, t1, t2, s0, s1, s2, a0, a1, c0]
    }

    /// Any bytes are times.
    pub(crate) fn unpack([t0, t1, t2, s0, s1, s2, a0, a1, c0]: [u8; SIZE]) -> Self {
        Self {
            ttl: TTL.duration(u32::from_le_bytes([t0, t1, t2, 0])),
            stale: STALE.duration(u32::from_le_bytes([s0, s1, s2, 0])),
            age: AGE.duration(u32::from_le_bytes([a0, a1, 0, 0])),
            cost: COST.duration(u32::from(c0)),
        }
    }
}

/// Milliseconds as five bits of exponent over this many bits of fraction. With exponent 0 the
/// fraction is the number; with e it is 2^bits + fraction, shifted by e − 1. So the codes are in the
/// order of the numbers, and every code is one.
#[derive(Clone, Copy)]
struct Packing(u32);

impl Packing {
    const MOST_SHIFT: u32 = 30;

    fn floor(self, duration: Duration) -> u32 {
        self.code(duration.as_millis())
    }

    fn ceil(self, duration: Duration) -> u32 {
        let millis = duration.as_nanos().div_ceil(1_000_000);
        let code = self.code(millis);
        let rounded_down = u128::from(self.millis(code)) < millis;
        (code + u32::from(rounded_down)).min(self.most())
    }

    /// The code of the greatest number that is not above `millis`.
    fn code(self, millis: u128) -> u32 {
        let bits = u128::BITS - millis.leading_zeros();
        let shift = bits.saturating_sub(self.0 + 1);
        if shift > Self::MOST_SHIFT {
            return self.most();
        }
        // The bit above the fraction adds the one that the exponent is ahead of the shift.
        (shift << self.0) + (millis >> shift) as u32
    }

    fn millis(self, code: u32) -> u64 {
        let exponent = code >> self.0;
        let fraction = u64::from(code & ((1 << self.0) - 1));
        match exponent.checked_sub(1) {
            None => fraction,
            Some(shift) => (1 << self.0 | fraction) << shift,
        }
    }

    fn duration(self, code: u32) -> Duration {
        Duration::from_millis(self.millis(code))
    }

    const fn most(self) -> u32 {
        (1 << (self.0 + 5)) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Packing; 3] = [TTL, AGE, COST];

    #[test]
    fn codes_are_numbers_in_their_order() {
        for packing in ALL {
            let step = (packing.most() / 5_000).max(1) as usize;
            let codes: Vec<_> = (0..=packing.most()).step_by(step).collect();
            for pair in codes.windows(2) {
                assert!(packing.millis(pair[0]) < packing.millis(pair[1]));
            }
            for code in codes {
                assert_eq!(packing.code(packing.millis(code).into()), code);
                assert_eq!(packing.ceil(packing.duration(code)), code);
            }
        }
    }

    #[test]
    fn rounding_goes_the_way_it_says() {
        for packing in ALL {
            for millis in (0..60).map(|bit| (1_u64 << bit) + (1 << bit >> 1) + 1) {
                let duration = Duration::from_millis(millis);
                let floor = packing.duration(packing.floor(duration));
                let ceil = packing.duration(packing.ceil(duration));
                if packing.floor(duration) == packing.most() {
                    continue;
                }
                assert!(floor <= duration && duration <= ceil);
                let error = (ceil - floor).as_secs_f64() / duration.as_secs_f64();
                assert!(
                    error <= 1.0 / f64::from(1 << packing.0),
                    "{millis}: {error}"
                );
            }
        }
    }

    #[test]
    fn a_fraction_of_a_millisecond_is_rounded_too() {
        let little = Duration::from_nanos(1);
        let times = Times {
            ttl: Duration::from_millis(5) - little,
            stale: Duration::from_millis(5) + little,
            age: little,
            cost: little,
        };
        let millis = Duration::from_millis;
        assert_eq!(times.rounded().ttl, millis(4));
        assert_eq!(times.rounded().stale, millis(6));
        assert_eq!(times.rounded().age, millis(1));
        assert_eq!(times.rounded().cost, millis(1));
    }

    #[test]
    fn usual_times_are_exact() {
        let whole = |unit: u64, most: u64| (0..=most).map(move |count| count * unit);
        let minutes = whole(1, 2 * 3600).chain(whole(60, 9 * 60));
        let days = whole(3600, 37).chain(whole(24 * 3600, 12));
        for ttl in minutes.chain(days).map(Duration::from_secs) {
            let times = Times {
                ttl,
                stale: ttl,
                ..Times::default()
            };
            assert_eq!(times.rounded(), times);
        }
    }

    #[test]
    fn bug_d3_huge_times_become_the_longest() {
        let year = Duration::from_secs(365 * 24 * 3600);
        let huge = Times {
            ttl: Duration::MAX,
            stale: Duration::MAX,
            age: Duration::MAX,
            cost: Duration::MAX,
        };
        let rounded = huge.rounded();
        assert!(rounded.ttl > year * 30_000 && rounded.ttl == rounded.stale);
        assert!(rounded.age > year * 100);
        assert!(rounded.cost > year / 2);
        assert_eq!(rounded.rounded(), rounded);
    }
}
