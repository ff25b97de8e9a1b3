//! The connection over targets that do what a test says, under virtual time.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bounds;
mod doubts;
mod ears;
mod hearing;
mod masters;
mod played;
mod retries;
mod sentinels;
mod settings;
mod states;
mod target;
mod town;
mod tracking;

use std::sync::Arc;
use std::time::Duration;

use larder_kit::Virtual;
use larder_redis::{Connection, Settings};

use target::Scripted;

const MS: Duration = Duration::from_millis(1);

/// The defaults, which no test here takes a target from.
fn settings() -> Settings {
    Settings::parse("redis://nowhere").unwrap()
}

fn over(target: &Arc<Scripted>, time: &Virtual) -> Connection {
    over_with(target, time, &settings())
}

fn over_with(target: &Arc<Scripted>, time: &Virtual, settings: &Settings) -> Connection {
    let connection = Connection::over(target.clone(), settings, time.runtime()).unwrap();
    time.run_until_idle();
    connection
}
