//! Where a node of a cluster is reached.

/// Where a node is reached, as the nodes themselves say.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::connection) struct Place {
    pub(in crate::connection) host: String,
    pub(in crate::connection) port: u16,
}

impl Place {
    /// Reads `host:port`. A node that does not know its own host leaves it out: it is where it was
    /// asked.
    pub(super) fn read(text: &str, asked: &Self) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        Some(Self::named(host, port.parse().ok()?, asked))
    }

    /// The place of these names, of which the host may be left out.
    pub(super) fn named(host: &str, port: u16, asked: &Self) -> Self {
        let host = if host.is_empty() { &asked.host } else { host };
        let host = host.to_owned();
        Self { host, port }
    }
}
