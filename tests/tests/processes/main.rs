//! Processes with near tiers that share a server: this program is the test and, started with the word
//! `node`, one of the processes.
//!
//! `LARDER_TEST_ROUNDS` says how many rounds are played; a few hundred unless set.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "what a test and a node say goes there")]

mod kills;
mod leases;
mod node;
mod process;
mod rounds;
mod stage;
mod watch;

use std::env;

type Test = (&'static str, fn());

const TESTS: [Test; 5] = [
    (
        "kills::bug_d5_processes_that_are_killed_leave_nothing_without_an_end",
        kills::bug_d5_processes_that_are_killed_leave_nothing_without_an_end,
    ),
    (
        "leases::bug_a9_two_processes_that_ask_for_cold_keys_at_once_load_each_once",
        leases::bug_a9_two_processes_that_ask_for_cold_keys_at_once_load_each_once,
    ),
    (
        "leases::fc73_a_process_waits_for_the_load_of_another",
        leases::fc73_a_process_waits_for_the_load_of_another,
    ),
    (
        "leases::ru_a_holder_that_is_killed_costs_the_lease_and_no_more",
        leases::ru_a_holder_that_is_killed_costs_the_lease_and_no_more,
    ),
    (
        "rounds::bug_i1_what_one_process_changes_the_other_sees_within_the_bound",
        rounds::bug_i1_what_one_process_changes_the_other_sees_within_the_bound,
    ),
];

/// The arguments of a test runner, as far as they choose tests: parts of names, and of those to be
/// skipped.
fn main() {
    let mut words: Vec<_> = env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == "node") {
        return node::run(&words.split_off(1));
    }
    let (mut names, mut skipped) = (Vec::new(), Vec::new());
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.strip_prefix("--skip") {
            Some("") => skipped.extend(words.next()),
            Some(name) => skipped.push(name.trim_start_matches('=').to_owned()),
            None if word == "--test-threads" => drop(words.next()),
            None if word.starts_with('-') => {}
            None => names.push(word),
        }
    }
    let within = |name: &str, parts: &[String]| parts.iter().any(|part| name.contains(part));
    let wanted = |name: &str| (names.is_empty() || within(name, &names)) && !within(name, &skipped);
    for (name, test) in TESTS.into_iter().filter(|(name, _)| wanted(name)) {
        test();
        println!("test {name} ... ok");
    }
}
