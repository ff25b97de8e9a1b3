//! One load for all processes.

use crate::node::LEASE;
use crate::process::Process;
use crate::stage::Stage;
use crate::watch::Watch;

const KEYS: u64 = 200;

pub(crate) fn bug_a9_two_processes_that_ask_for_cold_keys_at_once_load_each_once() {
    let Some(stage) = Stage::start() else { return };
    let mut nodes = [(); 2].map(|()| Process::start(&stage.server));
    for key in 0..KEYS {
        let asked = nodes.each_mut().map(|node| node.tell("read", key));
        for (node, number) in nodes.iter_mut().zip(asked) {
            assert_eq!(node.value(number).0, 0);
        }
        assert_eq!(stage.number("loads", key), 1, "of key {key}");
    }
    let waited = nodes.each_mut().map(|node| node.ask("waited", 0));
    println!("loads that waited for the other process, and in vain: {waited:?} of {KEYS} keys");
    let [one, two] = waited.map(|(waited, lapsed)| {
        assert_eq!(lapsed, "0");
        waited
    });
    assert!(one + two > 0, "the two were never in one load");
}

pub(crate) fn fc73_a_process_waits_for_the_load_of_another() {
    let Some(stage) = Stage::start() else { return };
    let mut holder = Process::start_gated(&stage.server);
    let mut others = [(); 2].map(|()| Process::start(&stage.server));
    let load = holder.tell("read", 1);
    assert_eq!(holder.answer(load), "loads");
    let asked = others.each_mut().map(|node| node.tell("read", 1));
    others.iter_mut().for_each(waits);
    let opened = holder.tell("open", 1);
    assert_eq!(holder.answer(opened), "opened");
    assert_eq!(holder.value(load), (0, "loaded".to_owned()));
    for (node, number) in others.iter_mut().zip(asked) {
        assert_eq!(node.value(number), (0, "far".to_owned()));
        assert_eq!(node.ask("waited", 0), (1, "0".to_owned()));
    }
    assert_eq!(stage.number("loads", 1), 1);
}

pub(crate) fn ru_a_holder_that_is_killed_costs_the_lease_and_no_more() {
    let Some(stage) = Stage::start() else { return };
    let mut holder = Process::start_gated(&stage.server);
    let mut other = Process::start(&stage.server);
    let load = holder.tell("read", 1);
    assert_eq!(holder.answer(load), "loads");
    drop(holder);
    let watch = Watch::start();
    assert_eq!(other.ask("read", 1), (0, "loaded".to_owned()));
    let took = watch.passed();
    assert!(took >= LEASE && took < LEASE * 5, "{took:?}");
    assert_eq!(other.ask("waited", 0), (1, "1".to_owned()));
}

/// Until a load of the process waits.
fn waits(process: &mut Process) {
    while process.ask("waited", 0).0 == 0 {}
}
