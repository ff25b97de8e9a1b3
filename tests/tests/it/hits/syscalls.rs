//! What a hit asks of the system: nothing. Shown by a process that is killed at the first call of
//! the system but a write to its standard output.

#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]

use std::io::Write;
use std::process::Command;

use futures_lite::future::block_on;
use larder::Larder;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

use super::{Argument, Cached, all_set, hits, hundred};

const CHILD: &str = "LARDER_TEST_SYSCALLS";
const DONE: &str = "all of them were hits\n";
const WRITE: i64 = if cfg!(target_arch = "x86_64") { 1 } else { 64 };

/// From now on any call of the system kills the process, but for a write to standard output.
fn seal() {
    let standard_output = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, 1);
    let rule = SeccompRule::new(vec![standard_output.unwrap()]).unwrap();
    let filter = SeccompFilter::new(
        [(WRITE, vec![rule])].into(),
        SeccompAction::KillProcess,
        SeccompAction::Allow,
        std::env::consts::ARCH.try_into().unwrap(),
    );
    let program: BpfProgram = filter.unwrap().try_into().unwrap();
    seccompiler::apply_filter(&program).unwrap();
}

/// 120,000 hits on the runtime that a program has.
fn child(asks: bool) {
    let larder = Larder::builder().build().unwrap();
    let argument = Argument(Default::default());
    let plain: Cached = hits(&larder).build().unwrap();
    let other = Larder::builder().build().unwrap();
    let all: Cached = all_set(&other).build().unwrap();
    let run = || {
        for cache in [&plain, &all] {
            // That of smol wakes its reactor at the end of each.
            block_on(hundred(cache, &argument));
        }
    };
    for cache in [&plain, &all] {
        smol::block_on(super::with_all(cache, "k", &argument));
    }
    run();
    seal();
    for _ in 0..100 {
        run();
    }
    if asks {
        let _ = std::process::id();
    }
    std::io::stdout().write_all(DONE.as_bytes()).unwrap();
}

/// Whether a process came to its end that did nothing but hits, and something beside if it `asks`.
fn came_to_its_end(asks: bool) -> bool {
    let program = std::env::current_exe().unwrap();
    let name = concat!(module_path!(), "::l5_a_hit_makes_no_call_of_the_system");
    let name = name.split_once("::").unwrap().1;
    let output = Command::new(program)
        .args([name, "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, if asks { "asks" } else { "hits" })
        .output()
        .unwrap();
    assert!(!output.status.success(), "it is killed, then or at its end");
    let said = String::from_utf8(output.stdout).unwrap();
    said.ends_with(DONE)
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the child is told what to do")]
fn l5_a_hit_makes_no_call_of_the_system() {
    if let Ok(what) = std::env::var(CHILD) {
        return child(what == "asks");
    }
    assert!(came_to_its_end(false));
    assert!(!came_to_its_end(true), "whoever asks the system is killed");
}
