//! The built program, as its users start it.

mod daemon;
mod data;
#[cfg(unix)]
mod delays;
mod import;
mod lists;
#[cfg(target_os = "linux")]
mod process;
mod service;
mod settings;
