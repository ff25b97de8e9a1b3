//! `bench`: benchmarks, in a package of their own so that this one stays light.

use crate::command::Command;
use crate::process;
use crate::stop::Stop;

pub(crate) const COMMAND: Command = Command {
    name: "bench",
    arguments: "micro|codec [--quick]",
    about: "cost of a hit against raw quick_cache, moka and cached; of a value as bytes against serde_json",
    run,
};

fn run(mut arguments: lexopt::Parser) -> Result<(), Stop> {
    let arguments: Vec<_> = arguments.raw_args()?.collect();
    let mut cargo = process::cargo(&["run", "--release", "--package", "larder-bench", "--"]);
    process::become_program(process::without_settings(&mut cargo).args(arguments))
}
