//! Benchmarks of larder against its peers; `cargo xtask bench` builds and starts them.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark is a table on a terminal"
)]

mod codec;
mod micro;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let words: Vec<_> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["micro"] => micro::run(&micro::FULL),
        ["micro", "--quick"] => micro::run(&micro::QUICK),
        ["micro", micro::ONE_START] => micro::one_start(&micro::FULL),
        ["micro", "--quick", micro::ONE_START] => micro::one_start(&micro::QUICK),
        ["codec"] => {
            codec::run(&codec::FULL);
            Ok(())
        }
        ["codec", "--quick"] => {
            codec::run(&codec::QUICK);
            Ok(())
        }
        _ => {
            eprintln!("usage: cargo xtask bench micro|codec [--quick]");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}
