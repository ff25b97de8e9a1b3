//! The built program, as its users start it.

mod daemon;
mod data;
#[cfg(unix)]
mod delays;
mod import;
mod lists;
#[cfg(target_os = "linux")]
mod process;
#[cfg(unix)]
mod redis;
mod service;
mod settings;
#[cfg(unix)]
mod users;
