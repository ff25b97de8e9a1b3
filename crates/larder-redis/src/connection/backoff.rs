//! How long to wait between attempts.

use std::time::Duration;

/// Waits that grow from one failure to the next.
#[derive(Debug)]
pub(super) struct Backoff {
    least: Duration,
    most: Duration,
    next: Duration,
}

impl Backoff {
    pub(super) const fn new((least, most): (Duration, Duration)) -> Self {
        let next = least;
        Self { least, most, next }
    }

    /// The wait after one more failure: shortened by up to a half, by these random bits.
    pub(super) fn wait(&mut self, random: u64) -> Duration {
        let wait = self.next;
        self.next = wait.saturating_mul(2).min(self.most);
        let half = wait / 2;
        let share = (random >> 11) as f64 / (1_u64 << 53) as f64;
        half + half.mul_f64(share)
    }

    pub(super) const fn reset(&mut self) {
        self.next = self.least;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn it_doubles_up_to_its_bound_and_takes_off_at_most_a_half() {
        let mut longest = Backoff::new((50 * MS, 300 * MS));
        let mut shortest = Backoff::new((50 * MS, 300 * MS));
        for wait in [50, 100, 200, 300, 300] {
            assert_eq!(shortest.wait(0), wait * MS / 2);
            let near = wait * MS - longest.wait(u64::MAX);
            assert!(near < MS, "{near:?} short of {wait} ms");
        }
        longest.reset();
        assert!(longest.wait(u64::MAX) <= 50 * MS);
    }
}
