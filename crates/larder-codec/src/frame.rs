//! The bytes around an encoded value.

mod checksum;
mod labels;
mod layout;
mod read;
mod refusal;
mod subject;
mod write;

pub use labels::Tags;
pub use read::{FrameRef, Kind};
pub use refusal::Refusal;
pub use subject::{KeyDigest, Subject};
pub use write::Frame;
