//! The built program, as its users start it.

mod daemon;
mod data;
mod service;
mod settings;
