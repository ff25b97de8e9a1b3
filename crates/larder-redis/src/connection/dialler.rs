//! Who connects to what settings name.

use std::sync::Arc;

use larder_core::Runtime;

use super::cluster::{Cluster, Place};
use super::dial::Dial;
use super::sentinel::Sentinel;
use super::settings::{SettingError, Settings};
use super::single::Single;
use super::tally::Tally;
use super::target::{Address, Target};

/// How what listens at an address is dialled.
pub(super) type At = Arc<dyn Fn(&Address) -> Arc<dyn Dial> + Send + Sync>;

/// How servers are dialled, and how the sentinels that watch them are.
pub(super) struct Diallers {
    pub(super) server: At,
    pub(super) sentinel: At,
}

impl Diallers {
    /// As the settings say; sentinels have credentials of their own.
    pub(super) fn of(settings: &Settings) -> Self {
        let mut asking = settings.clone();
        asking.credentials = settings.sentinels.clone();
        asking.database = 0;
        Self {
            server: single(settings.clone()),
            sentinel: single(asking),
        }
    }
}

fn single(settings: Settings) -> At {
    Arc::new(move |at| Arc::new(Single::new(at.clone(), settings.clone())))
}

/// Who connects to what the settings name. The tally counts connections that last longer than what is
/// dialled does.
///
/// # Errors
/// Nodes of a cluster are not reached in one way.
pub(super) fn dialler(
    settings: Settings,
    diallers: Diallers,
    runtime: &Arc<dyn Runtime>,
    tally: &Arc<Tally>,
) -> Result<Arc<dyn Dial>, SettingError> {
    let (pace, bounds) = (settings.pace, settings.bounds);
    Ok(match settings.target {
        Target::Single(address) => (diallers.server)(&address),
        Target::Sentinel { sentinels, service } => {
            let dialled = |at: &Address| (at.clone(), (diallers.sentinel)(at));
            let sentinels = sentinels.iter().map(dialled).collect();
            let (runtime, server) = (Arc::clone(runtime), diallers.server);
            Arc::new(Sentinel::new(sentinels, &service, server, runtime, pace))
        }
        Target::Cluster { nodes } => {
            let (seeds, tls) = seeds(&nodes)?;
            let node = move |place: &Place| (diallers.server)(&address(place, tls));
            let (node, runtime, tally) = (Arc::new(node), Arc::clone(runtime), Arc::clone(tally));
            Arc::new(Cluster::new(seeds, node, runtime, pace, bounds, tally))
        }
    })
}

/// Where nodes are, and whether all of them are behind TLS.
fn seeds(nodes: &[Address]) -> Result<(Vec<Place>, bool), SettingError> {
    let both: Result<Vec<_>, _> = nodes.iter().map(place).collect();
    let (seeds, encrypted): (Vec<_>, Vec<_>) = both?.into_iter().unzip();
    let tls = encrypted.first() == Some(&true);
    if encrypted.iter().any(|one| *one != tls) {
        return Err(wrong());
    }
    Ok((seeds, tls))
}

/// Where a node is, and whether behind TLS.
fn place(address: &Address) -> Result<(Place, bool), SettingError> {
    let (host, port, tls) = match address {
        Address::Tcp { host, port } => (host, *port, false),
        Address::Tls { host, port } => (host, *port, true),
        Address::Unix(_) => return Err(wrong()),
    };
    let host = host.clone();
    Ok((Place { host, port }, tls))
}

fn address(place: &Place, tls: bool) -> Address {
    let Place { host, port } = place.clone();
    if tls {
        Address::Tls { host, port }
    } else {
        Address::Tcp { host, port }
    }
}

const fn wrong() -> SettingError {
    let says = "the nodes of a cluster are hosts with ports, and either all behind TLS or none";
    SettingError::new("target", says)
}
