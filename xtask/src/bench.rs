//! `bench`: benchmarks, in a package of their own so that this one stays light.

use crate::command::Command;
use crate::process;
use crate::stop::Stop;

pub(crate) const COMMAND: Command = Command {
    name: "bench",
    arguments: "NAME|all|publish [--quick]",
    about: "measure and compare, into target/bench: micro profile codec throughput latency delay load redis trace",
    run,
};

fn run(mut arguments: lexopt::Parser) -> Result<(), Stop> {
    let arguments: Vec<_> = arguments.raw_args()?.collect();
    let mut cargo = process::cargo(&["run", "--release", "--package", "larder-bench"]);
    if arguments.first().is_some_and(|name| name == "profile") {
        // What it counts with cannot run the others' build.
        cargo.args(["--features", "profile"]);
    }
    cargo.arg("--").args(arguments);
    process::become_program(process::without_settings(&mut cargo))
}
