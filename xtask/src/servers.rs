//! The tests that talk to a server, over others than the one that is taken by itself.

use crate::stop::Stop;
use crate::{process, redis};
use std::ffi::OsString;
use std::fmt;
use std::time::Duration;

/// What talks to servers: the adapter with the contracts of a far tier, the commands against their
/// model, what must not be readable there, and processes that share one.
const TESTS: &[&str] = &["redis", "redis_model", "redis_secrets", "processes"];

/// Of these, what hangs on the server's version at all.
const OF_VERSION: &[&str] = &["redis", "redis_model"];

/// And in it what does not: what is about our side of a connection, and contracts that are checked over
/// a server of the same version in another place. Parts of tests' names.
const OF_OURS: &[&str] = &[
    "burst::",
    "cancelled::",
    "crowd::",
    "left::",
    "contract::sentinel::",
    "contract::cluster::it_keeps_the_contract_of_sweep",
    "faults::answers_",
    "faults::cuts_an_answer",
    "faults::is_reached_in_one_direction_only",
    "faults::is_slow",
    "faults::stands_still_for_five_seconds",
    "masters::a_master_that_is_gone_costs_the_others_nothing",
];

/// A program, and what it calls itself.
#[derive(Debug, PartialEq, Eq)]
struct Server {
    program: String,
    version: String,
    /// Whether it was built with TLS.
    tls: bool,
}

/// What ran over a server: how many tests passed of each, and whether all did.
struct Ran {
    passed: Vec<(&'static str, usize)>,
    took: Duration,
    end: Result<(), Stop>,
}

/// Runs them over every server there is: the one that is taken by itself, and those of packages.
///
/// # Errors
/// When a test fails; and under `CI`, when a server cannot be had.
pub(crate) fn all(extra: &[OsString]) -> Result<(), Stop> {
    let servers = had(&["programs"])?;
    // To the end: what one version lacks says nothing of the others.
    let all: Vec<_> = servers
        .iter()
        .map(|server| over(server, TESTS, extra))
        .collect();
    for (server, ran) in servers.iter().zip(&all) {
        eprintln!("servers: {server}: {ran}");
    }
    all.into_iter().try_for_each(|ran| ran.end)
}

/// Runs what hangs on a version over the oldest that is served: what a newer one brings is missed there
/// first. All tests have run over the one that is taken by itself.
///
/// # Errors
/// As [`all`].
pub(crate) fn oldest() -> Result<(), Stop> {
    let servers = had(&["programs", "oldest"])?;
    let [first, second] = &servers[..] else {
        return Ok(());
    };
    let ran = over(second, OF_VERSION, &without(OF_OURS));
    eprintln!("servers: the tests ran over {first}");
    eprintln!("servers: and what talks to a server over {second}: {ran}");
    ran.end
}

/// The servers that can be had; of the others it is said why they cannot.
fn had(words: &[&str]) -> Result<Vec<Server>, Stop> {
    let mut program = redis::servers(words);
    let output = process::without_settings(&mut program).output()?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        if std::env::var_os("CI").is_some_and(|ci| ci == "true") {
            return Err(Stop::Failed(complaint.trim_end().to_owned()));
        }
        eprintln!("SKIPPED: {}", complaint.trim_end());
    }
    Ok(read(&String::from_utf8_lossy(&output.stdout)))
}

/// A line each: the program, what it calls itself, and `TLS` if it was built with it.
fn read(lines: &str) -> Vec<Server> {
    let server = |line: &str| {
        let mut words = line.split('\t');
        Some(Server {
            program: words.next()?.to_owned(),
            version: words.next()?.to_owned(),
            tls: words.next() == Some("TLS"),
        })
    };
    lines.lines().filter_map(server).collect()
}

/// What tells a test runner to leave these out.
fn without(names: &[&str]) -> Vec<OsString> {
    let skip = names.iter().flat_map(|name| ["--skip", name]);
    std::iter::once("--")
        .chain(skip)
        .map(OsString::from)
        .collect()
}

fn over(server: &Server, tests: &[&'static str], extra: &[OsString]) -> Ran {
    eprintln!("servers: {server}");
    let (mut ran, took) = process::timed(|| each_over(server, tests, extra));
    ran.took = took;
    ran
}

fn each_over(server: &Server, tests: &[&'static str], extra: &[OsString]) -> Ran {
    let mut ran = Ran {
        passed: Vec::new(),
        took: Duration::ZERO,
        end: Ok(()),
    };
    for test in tests {
        let mut cargo = process::cargo(&["test", "--package", "larder-tests", "--test", test]);
        cargo.args(extra);
        process::without_settings(&mut cargo).env("LARDER_TEST_REDIS_SERVER", &server.program);
        let mut passed = 0;
        let end = process::watch(&mut cargo, |line| passed += usize::from(is_passed(line)));
        ran.passed.push((test, passed));
        ran.end = ran.end.and(end);
    }
    ran
}

/// Whether a line of a test runner says that a test has passed.
fn is_passed(line: &str) -> bool {
    line.starts_with("test ") && line.ends_with(" ... ok")
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tls = if self.tls { "with" } else { "without" };
        write!(f, "{} {tls} TLS ({})", self.version, self.program)
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = if self.end.is_ok() { "passed" } else { "FAILED" };
        let counts = self.passed.iter();
        let counts: Vec<_> = counts
            .map(|(test, passed)| format!("{passed} of {test}"))
            .collect();
        write!(
            f,
            "{end} in {} s ({})",
            self.took.as_secs(),
            counts.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files;

    #[test]
    fn a_line_is_a_program_and_its_version_and_whether_it_has_tls() {
        let servers =
            read("/usr/bin/redis-server\tRedis 7.0.15\tTLS\nno version\n/r\tRedis 6.2.14\t");
        let server = |program: &str, version: &str, tls| Server {
            program: program.to_owned(),
            version: version.to_owned(),
            tls,
        };
        let wanted = [
            server("/usr/bin/redis-server", "Redis 7.0.15", true),
            server("/r", "Redis 6.2.14", false),
        ];
        assert_eq!(servers, wanted);
    }

    #[test]
    fn what_is_left_out_is_there() {
        for name in OF_OURS {
            let (module, test) = name.split_once("::").expect("a module");
            let file = files::root().join(format!("tests/tests/redis/{module}.rs"));
            let text = std::fs::read_to_string(file).expect(module);
            let (_, test) = test
                .trim_end_matches("::")
                .rsplit_once("::")
                .unwrap_or(("", test));
            assert!(text.contains(test.trim_end_matches("::")), "{name}");
        }
        assert_eq!(
            without(&["a::", "b::c"]),
            ["--", "--skip", "a::", "--skip", "b::c"]
        );
    }

    #[test]
    fn what_passed_is_counted_and_nothing_else() {
        assert!(is_passed("test aside::one ... ok"));
        for line in [
            "test aside::one ... FAILED",
            "test aside::one has been running for over 60 seconds",
            "test result: ok. 1 passed",
        ] {
            assert!(!is_passed(line), "{line}");
        }
    }

    #[test]
    fn a_server_over_which_something_failed_is_shown_so() {
        let ran = |end| Ran {
            passed: vec![("redis", 110), ("processes", 4)],
            took: Duration::from_millis(61_500),
            end,
        };
        assert_eq!(
            ran(Ok(())).to_string(),
            "passed in 61 s (110 of redis, 4 of processes)"
        );
        let failed = Err(Stop::Failed(String::new()));
        assert!(ran(failed).to_string().starts_with("FAILED in 61 s"));
    }
}
