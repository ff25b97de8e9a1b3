//! The Redis server that keeps what is cached too, if one is set.

use std::sync::Arc;

use larder::{Connection, Redis, Runtime, SettingError, Settings};

/// The prefix of all keys there.
const PREFIX: &str = "larderd";

/// A store on the server, which need not be there yet: the connection is made, and made again, in the background.
///
/// # Errors
/// A part of the URL is wrong. Shows nothing of it.
pub(crate) fn open(settings: Settings, runtime: &Arc<dyn Runtime>) -> Result<Redis, SettingError> {
    let connection = Connection::open(settings, Arc::clone(runtime))?;
    Ok(Redis::over(
        Arc::new(connection),
        Arc::clone(runtime),
        PREFIX,
    ))
}

/// How the connection is: one word.
pub(crate) fn state(redis: &Redis) -> &'static str {
    redis
        .health()
        .map_or("unknown", |health| health.state.name())
}
