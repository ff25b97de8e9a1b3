//! The built program, as its users start it.

mod daemon;
mod data;
mod import;
mod lists;
mod service;
mod settings;
