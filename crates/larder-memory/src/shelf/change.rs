//! Changing. Each change deletes first, then writes, then tells others.

use larder_core::far::{self, Change, FarTicket, Put, Stored};
use larder_core::guard;

use super::container::{Container, Part};
use super::name::Barrier;
use super::room::Room;
use super::ticket::{Barriers, Tokens};
use super::token::Token;

impl Room<'_> {
    pub(super) fn store_if(
        &mut self,
        key: &[u8],
        ticket: &FarTicket,
        part: &far::Part<'_>,
    ) -> Stored {
        let vouched = self.vouch(key, ticket, part.tags);
        let vouched = guard!(StoreCompare, vouched, self.unseen(key, part.tags));
        let Some((mut container, barriers)) = vouched else {
            return Stored::Refused;
        };
        self.renew(&barriers, part.ends);
        container.add(self.part(part, barriers));
        self.keep(key, container);
        self.wake(key);
        Stored::Stored
    }

    pub(super) fn put_if(&mut self, key: &[u8], ticket: &FarTicket, part: &far::Part<'_>) -> Put {
        let vouched = self.vouch(key, ticket, part.tags);
        let vouched = guard!(PutCompare, vouched, self.unseen(key, part.tags));
        self.remove(key);
        let put = match vouched {
            None => Put::Deleted,
            Some((_, barriers)) => {
                self.renew(&barriers, part.ends);
                let token = guard!(PutNewToken, self.token(), {
                    Tokens::decode(ticket).map_or_else(|| self.token(), |old| old.entry)
                });
                let mut container = Container::new(token);
                container.add(self.part(part, barriers));
                self.keep(key, container);
                Put::Stored
            }
        };
        self.announce(Change::Key(larder_core::digest(key)));
        put
    }

    pub(super) fn invalidate(&mut self, keys: &[&[u8]]) {
        for key in keys {
            self.remove(key);
            self.announce(Change::Key(larder_core::digest(key)));
        }
    }

    pub(super) fn expire(&mut self, keys: &[&[u8]]) {
        for key in keys {
            let found = self.container(key);
            self.remove(key);
            let with_parts = found.filter(|container| !container.parts().is_empty());
            if let Some(mut container) = with_parts {
                let token = guard!(ExpireNewToken, self.token(), container.token);
                container.expire(token);
                self.keep(key, container);
            }
            self.announce(Change::Expired(larder_core::digest(key)));
        }
    }

    pub(super) fn drop(&mut self, barrier: far::Barrier<'_>) {
        match barrier {
            far::Barrier::All => {
                self.drop_barrier(Barrier::Clear);
                self.announce(Change::All);
            }
            far::Barrier::Tag(tag) => {
                let digest = larder_core::digest(tag.as_bytes());
                guard!(AnyDropped, self.drop_barrier(Barrier::Any), ());
                self.drop_barrier(Barrier::Tag(digest));
                self.announce(Change::Tag(digest));
            }
        }
    }

    pub(super) fn release(&mut self, key: &[u8], ticket: &FarTicket) {
        let entry = Tokens::decode(ticket).map(|tokens| tokens.entry);
        let own = self
            .container(key)
            .filter(|container| Some(container.token) == entry && container.parts().is_empty());
        if own.is_some() {
            self.remove(key);
            self.wake(key);
        }
    }

    /// The entry, and the barriers of a value with these tags, if the ticket still holds.
    fn vouch(&mut self, key: &[u8], ticket: &FarTicket, tags: &[&str]) -> Option<Vouched> {
        let Tokens { entry, barriers } = Tokens::decode(ticket)?;
        let container = self.container(key)?;
        let mut demanded = barriers.demanded();
        let mut in_place = || demanded.all(|(barrier, token)| self.barrier(barrier) == Some(token));
        let holds = container.token == entry && guard!(BarrierAtStore, in_place(), true);
        drop(demanded);
        holds.then_some(())?;
        let listed = self.listed(&barriers, tags)?;
        Some((container, listed))
    }

    /// The barriers of a value with these tags. Of a tag that the ticket does not know the token is
    /// taken now, after the source was read; so no tag may have been invalidated since the ticket
    /// was taken, and that is looked at last.
    fn listed(&mut self, barriers: &Barriers, tags: &[&str]) -> Option<Vec<(Barrier, Token)>> {
        let mut listed = vec![(Barrier::Clear, barriers.clear)];
        let mut all_known = true;
        for tag in tags {
            let digest = larder_core::digest(tag.as_bytes());
            let barrier = Barrier::Tag(digest);
            let known = barriers.tag(digest);
            all_known &= known.is_some();
            listed.push((
                barrier,
                known.unwrap_or_else(|| self.barrier_or_new(barrier)),
            ));
        }
        let any = self.barrier(Barrier::Any) == Some(barriers.any);
        let holds = all_known || guard!(AnyLast, any, true);
        holds.then_some(listed)
    }

    /// As [`vouch`](Self::vouch) for a ticket that is not looked at.
    #[cfg(larder_mutants)]
    fn unseen(&mut self, key: &[u8], tags: &[&str]) -> Option<Vouched> {
        let token = self.token();
        let container = self.container(key).unwrap_or(Container::new(token));
        let barriers = self.barriers_or_new(tags);
        Some((container, self.listed(&barriers, tags)?))
    }

    fn part(&self, part: &far::Part<'_>, barriers: Vec<(Barrier, Token)>) -> Part {
        Part {
            schema: self.space.schema(),
            ends: self.keys.ends(part.ends),
            barriers,
            expired: false,
            frame: part.bytes.clone(),
        }
    }
}

type Vouched = (Container, Vec<(Barrier, Token)>);
