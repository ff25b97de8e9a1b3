//! The far store of a run, and each node's way to it, with what goes wrong on it.

mod adapter;
mod ears;
mod line;
mod link;
mod overheard;
mod recorder;
mod store;

use std::sync::Arc;

use larder_core::far::Abilities;
use larder_engine::LarderBuilder;
use larder_kit::Able;

use crate::plan::Tiers;
use adapter::Adapter;
use link::Link;

pub(crate) use line::Line;
pub(crate) use store::Store;

/// A life's way to the far store.
pub(crate) enum Way {
    /// To the store in this process, by larder-memory.
    Shelf(Arc<Link>),
    /// To a model of Redis, by larder-redis.
    Redis(Arc<Adapter>),
}

impl Way {
    /// A larder over the far store.
    pub(crate) fn under(&self, larder: LarderBuilder, tiers: Tiers) -> LarderBuilder {
        let hears = tiers != Tiers::Deaf;
        match self {
            Self::Shelf(link) => {
                let abilities = Abilities::default().guarded(link);
                let abilities = if hears {
                    abilities.bus(link)
                } else {
                    abilities
                };
                larder.far(Able::new(link.shelf().clone(), abilities))
            }
            Self::Redis(adapter) => {
                let abilities = Abilities::default().guarded(adapter.recorder());
                let abilities = if hears {
                    abilities.bus(adapter)
                } else {
                    abilities
                };
                larder.far(Able::new(adapter.redis().clone(), abilities))
            }
        }
    }

    /// No command reaches the store, or all do again.
    pub(crate) fn cut(&self, cut: bool) {
        match self {
            Self::Shelf(link) => link.line().cut(cut),
            Self::Redis(adapter) => adapter.cut(cut),
        }
    }

    /// No message arrives, or all do again: then the node is told.
    pub(crate) fn deafen(&self, deaf: bool) {
        match self {
            Self::Shelf(link) => link.deafen(deaf),
            Self::Redis(adapter) => adapter.deafen(deaf),
        }
    }

    /// From now on nothing goes wrong on it.
    pub(crate) fn heal(&self) {
        match self {
            Self::Shelf(link) => link.line().heal(),
            Self::Redis(adapter) => adapter.heal(),
        }
    }

    /// The store started anew.
    fn reconnect(&self) {
        if let Self::Shelf(link) = self {
            link.reconnect();
        }
    }
}
