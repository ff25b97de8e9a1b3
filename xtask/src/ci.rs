//! `ci`: everything that a change has to pass.

use crate::command::Command;
use crate::stop::Stop;
use crate::{docs, fmt, graph, lint, process, test, tidy};
use lexopt::Arg;

pub(crate) const COMMAND: Command = Command {
    name: "ci",
    arguments: "[STEP…]",
    about: "all that a change has to pass: fmt lint tidy graph docs test, or some of them",
    run,
};

/// One check: its name and what does it.
type Step = (&'static str, fn() -> Result<(), Stop>);

const STEPS: &[Step] = &[
    ("fmt", fmt::check),
    ("lint", lint::check),
    ("tidy", tidy::check),
    ("graph", graph::check),
    ("docs", docs::check),
    ("test", || test::all(&[])),
];

fn run(mut arguments: lexopt::Parser) -> Result<(), Stop> {
    let mut steps = Vec::new();
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Value(name) => steps.push(step(&name.to_string_lossy())?),
            other => return Err(other.unexpected().into()),
        }
    }
    run_all(if steps.is_empty() { STEPS } else { &steps })
}

fn step(name: &str) -> Result<Step, Stop> {
    let named = STEPS.iter().find(|(known, _)| *known == name);
    named
        .copied()
        .ok_or_else(|| Stop::Usage(format!("ci has no step `{name}`")))
}

/// Runs every step, also after one failed: a run of the service that checks changes should show all
/// there is.
fn run_all(steps: &[Step]) -> Result<(), Stop> {
    let mut failed = Vec::new();
    for (name, check) in steps {
        let (result, time) = process::timed(check);
        match result {
            Ok(()) => eprintln!("ci: {name} passed in {} s", time.as_secs()),
            Err(stop) => {
                eprintln!("ci: {name} failed after {} s: {stop}", time.as_secs());
                failed.push(*name);
            }
        }
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Stop::Failed(format!("failed: {}", failed.join(", "))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_failed_step_fails_the_run_but_does_not_end_it() {
        static RUN: AtomicUsize = AtomicUsize::new(0);
        fn good() -> Result<(), Stop> {
            RUN.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
        let bad: Step = ("bad", || Err(Stop::Failed("no".to_owned())));
        let Err(Stop::Failed(why)) = run_all(&[("first", good), bad, ("last", good)]) else {
            panic!("must fail")
        };
        assert_eq!(why, "failed: bad");
        assert_eq!(RUN.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn an_unknown_step_is_a_usage_error() {
        assert!(matches!(
            run(lexopt::Parser::from_args(["tidyy"])),
            Err(Stop::Usage(_))
        ));
    }
}
