//! What is logged, and where to.

use std::str::FromStr;

use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Which events are logged: a level, or levels by target.
#[derive(Debug)]
pub(crate) struct Levels(Targets);

impl FromStr for Levels {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // `Targets` takes a misspelt level for a target, and nothing for a level.
        let known = |part: &str| part.contains('=') || LEVELS.contains(&part);
        if !text.split(',').all(|part| known(part.trim())) {
            return Err(
                "neither off, error, warn, info, debug, trace nor a list of target=level".into(),
            );
        }
        text.parse().map(Self).map_err(|error| format!("{error}"))
    }
}

/// Logs to stderr from here on, one line an event.
pub(crate) fn start(levels: Levels) {
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(false);
    tracing_subscriber::registry()
        .with(lines.with_filter(levels.0))
        .init();
}
