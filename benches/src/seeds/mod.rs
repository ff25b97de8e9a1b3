//! What the experiments of the seeds share: callers that block, callers that wait, and a server of their
//! own.

pub(crate) mod blocking;
pub(crate) mod callers;
pub(crate) mod clock;
pub(crate) mod figure;
pub(crate) mod measure;
pub(crate) mod ours;
mod server;
pub(crate) mod stage;
pub(crate) mod usage;

pub(crate) use server::server;
