//! Redis servers for tests and for development: [one](Server), [Sentinel](Sentinels), a
//! [Cluster]. Only such as were started here, on free ports of the loopback, and ended with
//! who started them: also when a test panics, and when the whole process is killed.
//!
//! What such a test does to a server is here too: [kill](Server::kill) it, [pause](Server::pause) it,
//! start it again with its data or without, make another the master. And what goes wrong on the way to
//! it: a [`Proxy`] delays, swallows, changes and cuts.
//!
//! ```
//! let Some(server) = larder_servers::Server::start() else { return };
//! assert_eq!(server.ask(&["PING"]).unwrap(), ["PONG"]);
//! server.kill();
//! assert!(server.ask(&["PING"]).is_err());
//! server.start_again();
//! assert_eq!(server.ask(&["PING"]).unwrap(), ["PONG"]);
//! ```

mod answer;
mod cluster;
mod encrypted;
mod folder;
mod link;
mod port;
mod program;
mod proxy;
mod running;
mod sentinels;
mod server;
mod setup;
mod skipped;
mod standing;
mod wait;
pub mod wheels;

pub use cluster::Cluster;
pub use encrypted::Encrypted;
pub use proxy::{Fault, Once, Proxy};
pub use sentinels::Sentinels;
pub use server::Server;
pub use setup::Setup;
pub use standing::{Kind, Standing};
pub use wait::until;
