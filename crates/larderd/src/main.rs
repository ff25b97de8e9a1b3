//! `larderd`: deals over HTTP from SQLite, cached by larder; `larderd import` puts deals there.
//!
//! This is the one place where the executor, the database and the front end meet.

mod database;
mod import;
mod list;
mod listener;
mod log;
mod redis;
mod secret;
mod serve;
mod settings;
mod signal;
mod table;
mod upstream;
mod users;
mod workers;

use std::io::Write;
use std::process::ExitCode;

use serve::Failure;
use settings::Command;

fn main() -> ExitCode {
    let done = match Command::read(std::env::args_os()) {
        Ok(Command::Serve(settings)) => serve::run(*settings),
        Ok(Command::Import(settings, file)) => import::run(&settings.database, &file),
        Ok(Command::Help) => print(&settings::help()),
        Ok(Command::Version) => print(concat!("larderd ", env!("CARGO_PKG_VERSION"), "\n")),
        Err(wrong) => Err(Failure::Setting(wrong)),
    };
    let Err(failure) = done else {
        return ExitCode::SUCCESS;
    };
    // If stderr is gone, the exit code still tells.
    let _ = writeln!(std::io::stderr(), "larderd: {failure}");
    failure.code()
}

/// Writes to stdout; that nobody reads it is not a failure.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    Ok(())
}
