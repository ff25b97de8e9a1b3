//! Other programs: started at the root of the workspace, shown, and waited for.

use crate::files;
use crate::stop::Stop;
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A cargo command at the root of the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(files::root()).args(arguments);
    // Said of this program by the cargo that runs it; build scripts that hear it run once more, and what
    // they build is built anew.
    let of_ours = |name: &OsString| {
        let name = name.to_string_lossy();
        name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
    };
    unset(
        &mut command,
        std::env::vars_os().map(|(name, _)| name).filter(of_ours),
    );
    command
}

/// A build in which parts of the library are other than in the one that users get.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cfg {
    /// Locks and atomics are those of the model checker; guards can be taken out as well.
    Models,
    /// Guards can be taken out.
    Mutants,
}

/// A cargo command at the root of the workspace for such a build. It has a target folder of its own:
/// other flags would have everything built anew, there and back.
pub(crate) fn cargo_with(cfg: Cfg, arguments: &[&str]) -> Command {
    let (folder, flags) = match cfg {
        Cfg::Models => ("models", "--cfg larder_mutants --cfg larder_shuttle"),
        Cfg::Mutants => ("mutants", "--cfg larder_mutants"),
    };
    let target = std::env::var_os("CARGO_TARGET_DIR");
    let target = target.map_or_else(|| files::root().join("target"), PathBuf::from);
    let mut all = std::env::var_os("RUSTFLAGS").unwrap_or_default();
    all.push(" ");
    all.push(flags);
    let mut command = cargo(arguments);
    command.env("CARGO_TARGET_DIR", target.join(folder));
    command.env("RUSTFLAGS", all);
    command
}

/// Runs a program to its end with our terminal, after a line that says what is run.
///
/// # Errors
/// When it cannot be started, and when it ends with anything but success.
pub(crate) fn run(command: &mut Command) -> Result<(), Stop> {
    let line = shown(command);
    eprintln!("$ {line}");
    let status = command
        .status()
        .map_err(|error| Stop::Failed(format!("cannot start `{line}`: {error}")))?;
    ended(&line, status)
}

fn ended(line: &str, status: ExitStatus) -> Result<(), Stop> {
    if status.success() {
        Ok(())
    } else {
        Err(Stop::Failed(format!("`{line}` failed ({status})")))
    }
}

/// As [`run`], and looks at each line that the program writes to standard output.
///
/// # Errors
/// As [`run`].
pub(crate) fn watch(command: &mut Command, mut look: impl FnMut(&str)) -> Result<(), Stop> {
    let line = shown(command);
    eprintln!("$ {line}");
    let cannot = |error| Stop::Failed(format!("cannot start `{line}`: {error}"));
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(cannot)?;
    if let Some(output) = child.stdout.take() {
        for said in BufReader::new(output).split(b'\n') {
            let said = said?;
            let said = String::from_utf8_lossy(&said);
            println!("{said}");
            look(&said);
        }
    }
    ended(&line, child.wait()?)
}

/// Runs a program to its end and gives what it wrote to standard output.
///
/// # Errors
/// As [`run`], with what the program wrote to standard error.
pub(crate) fn output(command: &mut Command) -> Result<String, Stop> {
    let line = shown(command);
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Stop::Failed(format!("cannot start `{line}`: {error}")))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Err(Stop::Failed(format!(
        "`{line}` failed ({})\n{}",
        output.status,
        complaint.trim_end()
    )))
}

/// Becomes another program, so that signals reach it and its exit code is ours.
///
/// # Errors
/// When it cannot be started; on success this does not return.
#[cfg(unix)]
pub(crate) fn become_program(command: &mut Command) -> Result<(), Stop> {
    use std::os::unix::process::CommandExt as _;
    let line = shown(command);
    eprintln!("$ {line}");
    Err(Stop::Failed(format!(
        "cannot start `{line}`: {}",
        command.exec()
    )))
}

/// Runs another program to its end, where a process cannot become one.
///
/// # Errors
/// As [`run`].
#[cfg(not(unix))]
pub(crate) fn become_program(command: &mut Command) -> Result<(), Stop> {
    run(command)
}

/// What some work gives, and how long it took.
#[expect(
    clippy::disallowed_methods,
    reason = "how long it really took is what is asked"
)]
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    (work(), start.elapsed())
}

/// Removes the service's own settings from a program's environment: tests never depend on who runs
/// them. What begins with `LARDER_TEST_` is for the tests.
pub(crate) fn without_settings(command: &mut Command) -> &mut Command {
    unset_settings(command, std::env::vars_os().map(|(name, _)| name))
}

fn unset_settings(
    command: &mut Command,
    environment: impl Iterator<Item = OsString>,
) -> &mut Command {
    let of_service = |name: &OsString| {
        let name = name.to_string_lossy();
        name.starts_with("LARDER_") && !name.starts_with("LARDER_TEST_")
    };
    unset(command, environment.filter(of_service))
}

fn unset(command: &mut Command, names: impl Iterator<Item = OsString>) -> &mut Command {
    names.fold(command, Command::env_remove)
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_program_is_a_failure_with_its_words() {
        let Err(Stop::Failed(why)) = output(&mut cargo(&["no-such-command"])) else {
            panic!("must fail")
        };
        assert!(
            why.contains("cargo no-such-command") && why.contains("no such command"),
            "{why}"
        );
    }

    #[test]
    fn a_missing_program_is_named() {
        let Err(Stop::Failed(why)) = run(&mut Command::new("larder-no-such-program")) else {
            panic!("must fail")
        };
        assert!(
            why.starts_with("cannot start `larder-no-such-program`"),
            "{why}"
        );
    }

    #[test]
    fn settings_of_the_service_are_unset_and_nothing_else() {
        let mut program = Command::new("true");
        let tests = "LARDER_TEST_REDIS_SERVER";
        let names = ["LARDER_LISTEN", "PATH", "OLD_LARDER_LOG", tests].map(OsString::from);
        unset_settings(&mut program, names.into_iter());
        let unset: Vec<_> = program.get_envs().collect();
        assert_eq!(unset, [("LARDER_LISTEN".as_ref(), None)]);
    }
}
