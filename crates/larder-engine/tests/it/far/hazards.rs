//! The ways in which others lost invalidations, each by its name.

mod changes;
mod loads;
mod messages;
mod panics;
mod puts;
mod queued;
mod stores;
