//! Loads on servers of the tests' own, in this process or as a program.

mod closed;
mod failures;
mod open;
mod program;
mod redis;
mod server;
mod settings;
