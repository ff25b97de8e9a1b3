//! What goes wrong at one moment.

use super::{Draw, LONG, millis};
use crate::Profile;
use crate::plan::{Fault, Setup, Trouble};

impl Draw {
    pub(super) fn faults(&mut self, setup: &Setup) -> Vec<Fault> {
        let most = match self.profile {
            Profile::Calm => 0,
            Profile::Evictions => 20,
            Profile::Blind
            | Profile::Restarts
            | Profile::Overflow
            | Profile::Failover
            | Profile::Requeues => 6,
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
        // So long that much is lost, and shorter than what is remembered.
        let lags = match self.profile {
            Profile::Requeues => &[60, 200, 400],
            _ => &[0, 5, 60],
        };
        let all = [
            Trouble::Pause(node, long),
            Trouble::Crash(node, long),
            Trouble::Cut(node, long),
            Trouble::Deafen(node, long),
            Trouble::Jump(long),
            Trouble::Wipe,
            Trouble::FailOver(millis(self.of(lags))),
            Trouble::Evict(self.random.usize(..100)),
            Trouble::Full(long),
        ];
        let [
            pause,
            crash,
            cut,
            deafen,
            jump,
            wipe,
            fail_over,
            evict,
            full,
        ] = all;
        let what = match self.profile {
            Profile::Blind => self.of(&[pause, deafen, deafen, jump]),
            Profile::Restarts => self.of(&[crash, crash, wipe, fail_over]),
            Profile::Overflow | Profile::Unknown => self.of(&[cut, cut, crash, wipe, full]),
            Profile::Failover => self.of(&[fail_over, fail_over, cut, deafen, evict]),
            Profile::Evictions => evict,
            Profile::Requeues => fail_over,
            _ => self.of(&all),
        };
        Fault {
            at: millis(self.random.u64(..LONG)),
            what,
        }
    }
}
