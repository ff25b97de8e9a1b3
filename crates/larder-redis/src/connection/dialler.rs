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

/// Who connects to what the settings name. The tally counts connections that last longer than what is
/// dialled does.
///
/// # Errors
/// Nodes of a cluster are not reached in one way.
pub(super) fn dialler(
    settings: Settings,
    runtime: &Arc<dyn Runtime>,
    tally: &Arc<Tally>,
) -> Result<Arc<dyn Dial>, SettingError> {
    Ok(match settings.target.clone() {
        Target::Single(address) => Arc::new(Single::new(address, settings)),
        Target::Sentinel { sentinels, service } => {
            Arc::new(sentinel(sentinels, &service, settings, runtime))
        }
        Target::Cluster { nodes } => Arc::new(cluster(&nodes, settings, runtime, tally)?),
    })
}

fn sentinel(
    sentinels: Vec<Address>,
    service: &str,
    settings: Settings,
    runtime: &Arc<dyn Runtime>,
) -> Sentinel {
    let pace = settings.pace;
    let mut asking = settings.clone();
    asking.credentials = settings.sentinels.clone();
    asking.database = 0;
    let sentinels = sentinels.into_iter().map(|at| {
        let single = Single::new(at.clone(), asking.clone());
        (at, Arc::new(single) as Arc<dyn Dial>)
    });
    let server = move |at: &Address| -> Arc<dyn Dial> {
        Arc::new(Single::new(at.clone(), settings.clone()))
    };
    let (sentinels, runtime) = (sentinels.collect(), Arc::clone(runtime));
    Sentinel::new(sentinels, service, Box::new(server), runtime, pace)
}

fn cluster(
    nodes: &[Address],
    settings: Settings,
    runtime: &Arc<dyn Runtime>,
    tally: &Arc<Tally>,
) -> Result<Cluster, SettingError> {
    let mut seeds = Vec::with_capacity(nodes.len());
    let mut encrypted = Vec::with_capacity(nodes.len());
    for node in nodes {
        let (place, tls) = place(node)?;
        seeds.push(place);
        encrypted.push(tls);
    }
    let tls = encrypted.first() == Some(&true);
    if encrypted.iter().any(|one| *one != tls) {
        return Err(wrong());
    }
    let (pace, bounds) = (settings.pace, settings.bounds);
    let node = move |place: &Place| -> Arc<dyn Dial> {
        Arc::new(Single::new(address(place, tls), settings.clone()))
    };
    let (runtime, tally) = (Arc::clone(runtime), Arc::clone(tally));
    let node = Arc::new(node);
    Ok(Cluster::new(seeds, node, runtime, pace, bounds, tally))
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
