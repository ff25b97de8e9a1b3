//! Reading.

use std::collections::HashSet;

use larder_core::far::{FarFound, FarTicket, Missing, Read, Want};

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
            let container = self.container(key);
            let found = self.usable(container.as_ref());
            let container = match want {
                Want::Look => container,
                Want::Load => Some(self.open(key, container, &mut made)),
            };
            let new = made.contains(key);
            let held = |container: &Container| container.parts().is_empty() && !new;
            all.push(Read {
                missing: found.as_ref().err().copied().unwrap_or_default(),
                held: container.as_ref().is_some_and(held),
                ticket: ticket(container.as_ref(), barriers.as_ref()),
                found: found.ok(),
            });
        }
        all
    }

    /// The value of the cache's shape, if it may be given out.
    fn usable(&mut self, container: Option<&Container>) -> Result<FarFound, Missing> {
        let container = container.ok_or(Missing::Absent)?;
        let Some(part) = container.part(self.space.schema()) else {
            let none = container.parts().is_empty();
            return Err(if none {
                Missing::Absent
            } else {
                Missing::Schema
            });
        };
        match self.death(part) {
            Some(missing) => Err(missing),
            None => Ok(FarFound {
                bytes: part.frame.clone(),
                left: part.ends.since(self.keys.latest()),
                expired: part.expired,
            }),
        }
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

    pub(super) fn barriers_or_new(&mut self, tags: &[&str]) -> Barriers {
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
            if container.parts().is_empty() || parts.any(|part| self.death(part).is_none()) {
                return container;
            }
        }
        let container = Container::new(self.token());
        self.keep(key, container.clone());
        made.insert(key);
        container
    }
}

fn ticket(container: Option<&Container>, barriers: Option<&Barriers>) -> Option<FarTicket> {
    let tokens = Tokens {
        entry: container?.token,
        barriers: barriers?.clone(),
    };
    Some(tokens.encode())
}
