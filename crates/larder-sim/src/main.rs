//! The simulator on the command line; `cargo xtask sim` starts it.
#![allow(clippy::print_stderr, reason = "a program that talks to a terminal")]

use std::io::{self, ErrorKind, Write};
use std::ops::Range;
use std::process::ExitCode;
use std::time::Duration;

use larder_core::Clock;
use larder_sim::{Found, Profile, shrink, sweep, trace};
use lexopt::ValueExt;

fn main() -> ExitCode {
    let asked = match asked() {
        Ok(asked) => asked,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    match answer(&asked, &mut io::stdout().lock()) {
        Ok(code) => code,
        // Whoever reads has seen enough: `--trace | head`.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn answer(asked: &Asked, out: &mut impl Write) -> io::Result<ExitCode> {
    if asked.trace {
        let profile = asked.profiles[asked.seeds.start as usize % asked.profiles.len()];
        for line in trace(asked.seeds.start, profile) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(match search(asked) {
        Ok(searched) => {
            write!(out, "{searched}")?;
            ExitCode::SUCCESS
        }
        Err(found) => {
            tell(&found, out)?;
            ExitCode::FAILURE
        }
    })
}

/// What is asked for.
struct Asked {
    seeds: Range<u64>,
    profiles: Vec<Profile>,
    trace: bool,
}

fn asked() -> Result<Asked, lexopt::Error> {
    use lexopt::Arg::Long;
    let (mut count, mut first, mut profile, mut trace) = (None, None, None, false);
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("seeds") => count = Some(arguments.value()?.parse()?),
            Long("seed") => first = Some(arguments.value()?.parse::<u64>()?),
            Long("profile") => profile = Some(named(&arguments.value()?.string()?)?),
            Long("trace") => trace = true,
            other => return Err(other.unexpected()),
        }
    }
    let one = first.is_some();
    let first = first.unwrap_or(0);
    let count: u64 = count.unwrap_or(if one { 1 } else { 5_000 });
    Ok(Asked {
        seeds: first..first.saturating_add(count),
        profiles: profile.map_or_else(|| Profile::ALL.to_vec(), |profile| vec![profile]),
        trace,
    })
}

fn named(name: &str) -> Result<Profile, lexopt::Error> {
    let names = Profile::ALL.map(Profile::name).join(", ");
    Profile::named(name).ok_or_else(|| format!("no profile `{name}`; there are {names}").into())
}

/// Runs all seeds, with a line now and then; what they did, in words.
fn search(asked: &Asked) -> Result<String, Found> {
    let clock = Clock::monotonic();
    let (start, all) = (clock.now(), asked.seeds.end - asked.seeds.start);
    let rate = |runs: u64| {
        let took = clock.now().since(start).max(Duration::from_millis(1));
        (took, runs as f64 / took.as_secs_f64())
    };
    let summary = sweep(asked.seeds.clone(), &asked.profiles, |runs| {
        if runs.is_multiple_of(500) {
            let (_, rate) = rate(runs);
            eprintln!("{runs} of {all} runs, {rate:.0} a second");
        }
    })?;
    let (took, rate) = rate(all);
    let calls = summary.calls;
    let ran =
        format!("{all} runs with {calls} calls broke nothing: {took:.1?}, {rate:.0} a second");
    let outcomes = summary.outcomes.iter();
    let outcomes: Vec<_> = outcomes
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    Ok(format!("{ran}\noutcomes: {}\n", outcomes.join(", ")))
}

fn tell(found: &Found, out: &mut impl Write) -> io::Result<()> {
    let Found {
        seed,
        profile,
        violation,
        ..
    } = found;
    writeln!(out, "seed {seed} in profile {profile} broke a promise")?;
    writeln!(out, "  {violation}")?;
    let replay = format!("cargo xtask sim --seed {seed} --profile {profile} --trace");
    writeln!(out, "replay: {replay}\nas small as it could be made:")?;
    let Some(shrunk) = shrink(*seed, *profile) else {
        return writeln!(out, "  not at all: it does not break the promise again");
    };
    for line in shrunk.plan.iter().chain(&shrunk.trace) {
        writeln!(out, "  {line}")?;
    }
    writeln!(out, "{}", shrunk.violation)
}
