//! `sim`: runs of the simulator, in a package of its own so that this one stays light.

use crate::command::Command;
use crate::process;
use crate::stop::Stop;

pub(crate) const COMMAND: Command = Command {
    name: "sim",
    arguments: "[OPTION…]",
    about: "runs from seeds, judged by the promises (`--seeds N`, `--seed S`, `--profile P`, `--trace`)",
    run,
};

fn run(mut arguments: lexopt::Parser) -> Result<(), Stop> {
    let arguments: Vec<_> = arguments.raw_args()?.collect();
    let mut cargo = process::cargo(&["run", "--package", "larder-sim", "--"]);
    process::become_program(process::without_settings(&mut cargo).args(arguments))
}
