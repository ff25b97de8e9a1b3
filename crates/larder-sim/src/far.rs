//! A node's way to the far store, with what goes wrong on it.

mod ears;
mod line;
mod link;
mod recorder;

use std::sync::Arc;

use larder_core::Store;
use larder_core::far::Abilities;
use larder_kit::Able;
use larder_memory::Shelf;

use crate::plan::Tiers;

pub(crate) use line::Line;
pub(crate) use link::Link;

/// The far store of a life: what its larder is built over.
pub(crate) fn far_store(tiers: Tiers, shelf: &Shelf, link: &Arc<Link>) -> impl Store {
    let abilities = Abilities::default().guarded(link);
    let abilities = match tiers {
        Tiers::Deaf => abilities,
        Tiers::Near | Tiers::Both | Tiers::Far => abilities.bus(link),
    };
    Able::new(shelf.clone(), abilities)
}
