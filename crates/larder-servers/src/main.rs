//! Servers for the runner: `up`, `down`, `status` for development, and `programs` for tests.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program talks to a terminal"
)]

use std::env;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use larder_servers::{Encrypted, Kind, Setup, Standing, wheels};

fn main() -> ExitCode {
    let words: Vec<_> = env::args().skip(1).collect();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let done = match &words[..] {
        ["up", folder] => up(folder, Kind::Single),
        ["up", folder, "--sentinel"] => up(folder, Kind::Sentinel),
        ["up", folder, "--cluster"] => up(folder, Kind::Cluster),
        ["up", folder, "--tls"] => up(folder, Kind::Tls),
        ["down", folder] => down(folder),
        ["status", folder] => status(folder),
        ["programs"] => programs(&wheels::ALL),
        ["programs", "oldest"] => programs(&[wheels::OLDEST]),
        _ => {
            eprintln!("up|down|status FOLDER [--sentinel|--cluster|--tls], programs [oldest]");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn up(folder: &str, kind: Kind) -> io::Result<()> {
    let setup = Setup::find().map_err(io::Error::other)?;
    eprintln!("{} ({})", setup.version(), setup.program().display());
    let standing = Standing::up(&PathBuf::from(folder), setup, kind)?;
    println!("{}", standing.lines().join("\n"));
    Ok(())
}

fn down(folder: &str) -> io::Result<()> {
    let folder = PathBuf::from(folder);
    match Standing::read(&folder)? {
        Some(standing) => {
            standing.down(&folder)?;
            println!("ended");
        }
        None => println!("none was started"),
    }
    Ok(())
}

fn status(folder: &str) -> io::Result<()> {
    let standing = Standing::read(&PathBuf::from(folder))?;
    let lines = standing.map(|standing| standing.lines().join("\n"));
    println!("{}", lines.unwrap_or_else(|| "none was started".to_owned()));
    Ok(())
}

/// The server that tests take by themselves, then those of packages: a line each, the path, what it
/// calls itself, and `TLS` if it was built with it.
fn programs(packages: &[wheels::Wheel]) -> io::Result<()> {
    let mut missing = Vec::new();
    let mut show = |program: Result<Setup, String>| match program {
        Ok(setup) => {
            let tls = if Encrypted::speaks(&setup) { "TLS" } else { "" };
            let (program, version) = (setup.program().display(), setup.version());
            println!("{program}\t{version}\t{tls}");
        }
        Err(why) => missing.push(why),
    };
    show(Setup::find());
    for package in packages {
        show(package.fetch().map(Setup::of));
    }
    if missing.is_empty() {
        Ok(())
    } else {
        Err(io::Error::other(missing.join("\n")))
    }
}
