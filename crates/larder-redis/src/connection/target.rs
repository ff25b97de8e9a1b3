//! Where to connect.

use std::fmt;
use std::path::PathBuf;

/// Which servers there are to connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "whoever dials must know them all")]
pub enum Target {
    /// One server.
    Single(Address),
    /// The master of a service, wherever sentinels say that it is.
    Sentinel {
        /// Where sentinels are asked, one after another.
        sentinels: Vec<Address>,
        /// The name of the service.
        service: String,
    },
    /// The masters of a cluster.
    Cluster {
        /// Nodes that are asked for all others, one after another.
        nodes: Vec<Address>,
    },
}

/// Where a server listens. What it is is shown to nobody.
#[derive(Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "whoever dials must know them all")]
pub enum Address {
    /// A port.
    Tcp {
        /// A name, or a number; that of version 6 without brackets.
        host: String,
        /// The port.
        port: u16,
    },
    /// A port behind TLS. The certificate must be for this host.
    Tls {
        /// A name, or a number.
        host: String,
        /// The port.
        port: u16,
    },
    /// A socket of this machine.
    Unix(PathBuf),
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tcp { .. } => "Tcp",
            Self::Tls { .. } => "Tls",
            Self::Unix(_) => "Unix",
        })
    }
}
