//! The built program, as its users start it.

mod daemon;
mod data;
mod lists;
mod service;
mod settings;
