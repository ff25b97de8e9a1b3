//! The built program, as its users start it.

mod daemon;
mod data;
mod import;
mod lists;
#[cfg(target_os = "linux")]
mod process;
mod service;
mod settings;
