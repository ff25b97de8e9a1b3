//! Rounds of reads that race with a write, through cuts of the bus and pauses of a process.

use std::env;
use std::time::Duration;

use crate::node::{BLIND, FAR_DEADLINE, HEARTBEAT};
use crate::process::Process;
use crate::stage::Stage;
use crate::watch::Watch;

const KEYS: u64 = 16;

/// How many rounds are played where nothing is said.
const ROUNDS: u64 = 300;

/// What is measured over all rounds.
#[derive(Debug, Default)]
struct Seen {
    /// From the acknowledgement of a change to when the other process gave the new value.
    delays: Vec<Duration>,
    /// Changes that waited for their acknowledgement.
    queued: u64,
    /// Reads that were answered.
    reads: u64,
}

struct Game {
    stage: Stage,
    nodes: [Process; 2],
    random: fastrand::Rng,
    seen: Seen,
}

/// After an acknowledgement: from here on no process gives an older value.
fn bound() -> Duration {
    BLIND.max(HEARTBEAT * 2) + FAR_DEADLINE
}

#[expect(
    clippy::disallowed_methods,
    reason = "who runs tests says how many rounds"
)]
fn rounds() -> u64 {
    let said = env::var("LARDER_TEST_ROUNDS");
    said.map_or(ROUNDS, |said| {
        said.parse().expect("LARDER_TEST_ROUNDS is a number")
    })
}

pub(crate) fn bug_i1_what_one_process_changes_the_other_sees_within_the_bound() {
    let Some(stage) = Stage::start() else { return };
    let nodes = [(); 2].map(|()| Process::start(&stage.server));
    let mut game = Game {
        stage,
        nodes,
        random: fastrand::Rng::with_seed(1),
        seen: Seen::default(),
    };
    let rounds = rounds();
    for round in 1..=rounds {
        match round % 100 {
            40 => game.cut(),
            70 => game.paused(),
            _ => game.round(),
        }
    }
    game.rests();
    game.seen.tell(rounds);
}

impl Game {
    /// Reads on both processes around a change on one of them.
    fn round(&mut self) {
        let (writer, key) = (self.random.usize(..2), self.random.u64(..KEYS));
        let before = self.reads(key);
        let change = self.change(writer, key);
        let meanwhile = self.reads(key);
        let (value, done) = self.nodes[writer].value(change);
        let acknowledged = Watch::start();
        self.take(before);
        self.take(meanwhile);
        self.seen.queued += u64::from(done != "done");
        let own = self.read(writer, key);
        assert!(own >= value, "the writer reads {own} after its {value}");
        self.arrives(1 - writer, key, value, acknowledged, done == "done");
    }

    /// The subscriptions of all processes are cut, and a round is played at once.
    fn cut(&mut self) {
        self.stage.ask("CLIENT", &["KILL", "TYPE", "pubsub"]);
        self.round();
    }

    /// One process stands still while the other changes what it holds, for longer than the bound.
    fn paused(&mut self) {
        let (still, key) = (self.random.usize(..2), self.random.u64(..KEYS));
        self.read(still, key);
        self.nodes[still].pause();
        let change = self.change(1 - still, key);
        let (value, done) = self.nodes[1 - still].value(change);
        let acknowledged = Watch::start();
        while acknowledged.passed() <= bound() {
            self.read(1 - still, key);
        }
        self.nodes[still].resume();
        let first = self.read(still, key);
        let late = done == "done" && first < value;
        assert!(!late, "after its pause it reads {first}, and not {value}");
    }

    /// Begins a change.
    fn change(&mut self, node: usize, key: u64) -> u64 {
        let word = if self.random.bool() {
            "update"
        } else {
            "invalidate"
        };
        self.nodes[node].tell(word, key)
    }

    /// Begins reads on both processes.
    fn reads(&mut self, key: u64) -> [[u64; 2]; 2] {
        let nodes = self.nodes.each_mut();
        nodes.map(|node| [node.tell("read", key), node.tell("read", key)])
    }

    fn take(&mut self, reads: [[u64; 2]; 2]) {
        for (node, numbers) in self.nodes.iter_mut().zip(reads) {
            for number in numbers {
                node.value(number);
                self.seen.reads += 1;
            }
        }
    }

    fn read(&mut self, node: usize, key: u64) -> u64 {
        self.seen.reads += 1;
        self.nodes[node].ask("read", key).0
    }

    /// Reads until the value is there: no read that begins after the bound is given an older one.
    fn arrives(&mut self, node: usize, key: u64, value: u64, since: Watch, done: bool) {
        loop {
            let began = since.passed();
            let read = self.read(node, key);
            if read >= value {
                self.seen.delays.push(since.passed());
                return;
            }
            let late = done && began > bound();
            assert!(
                !late,
                "{began:?} after it was changed to {value}, key {key} is read as {read}"
            );
        }
    }

    /// When nothing happens any more both processes hold what the source has.
    fn rests(&mut self) {
        let still = Watch::start();
        while still.passed() <= bound() {
            self.read(0, 0);
        }
        for key in 0..KEYS {
            let source = self.stage.number("source", key);
            for node in [0, 1] {
                assert_eq!(
                    self.read(node, key),
                    source,
                    "at rest, of key {key} at {node}"
                );
            }
        }
    }
}

impl Seen {
    fn tell(mut self, rounds: u64) {
        self.delays.sort_unstable();
        let part = |part: usize| self.delays[(self.delays.len() - 1) * part / 100];
        println!(
            "{rounds} rounds, {} reads, {} changes queued; seen by the other after {:?} (median), \
             {:?} (99 %), {:?} (most); the bound is {:?}; nothing old at rest",
            self.reads,
            self.queued,
            part(50),
            part(99),
            part(100),
            bound()
        );
    }
}
