//! `larder-load`: a load on an HTTP service or a Redis server, from the command line.

mod options;

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use larder_load::Summary;
use options::{Asked, Files, Options};

fn main() -> ExitCode {
    match Options::read(lexopt::Parser::from_env()) {
        Ok(Asked::Help) => print(options::HELP),
        Ok(Asked::Run(options)) => run(&options),
        Err(wrong) => fail(&wrong, 2),
    }
}

/// Fails where no request had a good answer: such figures are of no load.
fn run(options: &Options) -> ExitCode {
    let summary = match options.load.run() {
        Ok(summary) => summary,
        Err(problem) => return fail(&problem, 1),
    };
    if let Err(error) = write(&summary, &options.files) {
        return fail(&error, 1);
    }
    print(&summary.to_string());
    if summary.successful == 0 {
        return fail(&"no request had a good answer", 1);
    }
    ExitCode::SUCCESS
}

fn write(summary: &Summary, files: &Files) -> Result<(), String> {
    let json = |path| {
        let json = serde_json::to_string_pretty(summary).map_err(|error| error.to_string())?;
        put(path, &(json + "\n"))
    };
    files.json.as_deref().map_or(Ok(()), json)?;
    let csv = |path| put(path, &summary.to_csv());
    files.csv.as_deref().map_or(Ok(()), csv)?;
    let samples = |path| put(path, &summary.samples_to_csv());
    files.samples.as_deref().map_or(Ok(()), samples)
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// That nobody reads it is not a failure.
fn print(text: &str) -> ExitCode {
    let mut out = io::stdout();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    ExitCode::SUCCESS
}

fn fail(why: &dyn std::fmt::Display, code: u8) -> ExitCode {
    // If stderr is gone, the exit code still tells.
    let _ = writeln!(io::stderr(), "larder-load: {why}");
    ExitCode::from(code)
}
