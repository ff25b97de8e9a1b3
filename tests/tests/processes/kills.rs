//! Processes that end in the middle of what they do.

use larder_redis::Reply;

use crate::process::Process;
use crate::stage::Stage;

/// Processes at once, and how often.
const PROCESSES: usize = 5;
const TIMES: usize = 4;
const KEYS: u64 = 40;
const WORDS: u64 = 400;

pub(crate) fn bug_d5_processes_that_are_killed_leave_nothing_without_an_end() {
    let Some(stage) = Stage::start() else { return };
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..TIMES {
        let mut nodes: [_; PROCESSES] = std::array::from_fn(|_| Process::start(&stage.server));
        for node in &mut nodes {
            let mut tell = |_| {
                let words = ["read", "read", "update", "update", "invalidate"];
                node.tell(words[random.usize(..words.len())], random.u64(..KEYS))
            };
            let told: Vec<_> = (0..WORDS).map(&mut tell).collect();
            // Killed as soon as so many are done.
            let done = random.usize(..told.len() / 4);
            node.answer(told[done]);
        }
        drop(nodes);
    }
    let keys = stage.keys();
    let ours = |key: &&String| key.contains("shop:");
    let ours: Vec<_> = keys.iter().filter(ours).collect();
    assert!(ours.len() > 5, "{keys:?}");
    for key in ours {
        let left = stage.ask("PTTL", &[key]);
        assert_ne!(left, Reply::Int(-1), "{key} has no end");
    }
}
