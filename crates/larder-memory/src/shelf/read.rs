//! Reading.

use std::collections::HashSet;

use larder_core::far::{FarFound, Read, Want};

use super::container::Container;
use super::name::Barrier;
use super::room::Room;
use super::ticket::{Barriers, Tokens};

impl Room<'_> {
    pub(super) fn read(&mut self, keys: &[&[u8]], tags: &[&str], want: Want) -> Vec<Read> {
        let barriers = match want {
            Want::Look => self.barriers(tags),
            Want::Load => Some(self.barriers_or_new(tags)),
        };
        let mut made = HashSet::new();
        let mut all = Vec::with_capacity(keys.len());
        for key in keys {
            let found = self.container(key);
            let container = match want {
                Want::Look => found,
                Want::Load => Some(self.open(key, found, &mut made)),
            };
            let held = !made.contains(key);
            all.push(self.answer(container.as_ref(), barriers.as_ref(), held));
        }
        all
    }

    /// The barriers of a ticket, if all are in place.
    fn barriers(&mut self, tags: &[&str]) -> Option<Barriers> {
        let in_place = tags.iter().map(|tag| {
            let digest = larder_core::digest(tag.as_bytes());
            Some((digest, self.barrier(Barrier::Tag(digest))?))
        });
        let tags = in_place.collect::<Option<_>>()?;
        Some(Barriers {
            clear: self.barrier(Barrier::Clear)?,
            any: self.barrier(Barrier::Any)?,
            tags,
        })
    }

    fn barriers_or_new(&mut self, tags: &[&str]) -> Barriers {
        let tags = tags.iter().map(|tag| {
            let digest = larder_core::digest(tag.as_bytes());
            (digest, self.barrier_or_new(Barrier::Tag(digest)))
        });
        let tags = tags.collect();
        Barriers {
            clear: self.barrier_or_new(Barrier::Clear),
            any: self.barrier_or_new(Barrier::Any),
            tags,
        }
    }

    /// The entry for a load: what was found, or one that this read makes, if there was none or none
    /// of its values can ever be used again.
    fn open<'k>(
        &mut self,
        key: &'k [u8],
        found: Option<Container>,
        made: &mut HashSet<&'k [u8]>,
    ) -> Container {
        if let Some(container) = found {
            let mut parts = container.parts().iter();
            if container.parts().is_empty() || parts.any(|part| self.is_alive(part)) {
                return container;
            }
        }
        let container = Container::new(self.token());
        self.keep(key, container.clone());
        made.insert(key);
        container
    }

    fn answer(
        &mut self,
        container: Option<&Container>,
        barriers: Option<&Barriers>,
        held: bool,
    ) -> Read {
        let part = container.and_then(|container| container.part(self.space.schema()));
        let part = part.filter(|part| self.is_alive(part));
        let found = part.map(|part| FarFound {
            bytes: part.frame.clone(),
            left: part.ends.since(self.keys.latest()),
            expired: part.expired,
        });
        let ticket = container.zip(barriers).map(|(container, barriers)| {
            let entry = container.token;
            let barriers = barriers.clone();
            Tokens { entry, barriers }.encode()
        });
        let held = held && container.is_some_and(|container| container.parts().is_empty());
        Read {
            found,
            ticket,
            held,
        }
    }
}
