//! Whether a ticket still holds.

use std::collections::BTreeSet;
use std::time::Duration;

use larder_core::Store;
use larder_core::container::Barrier;
use larder_core::far::{FarError, FarTicket, Part, Space};

use super::seen::{Barriers, Entry};
use super::ticket::Tokens;
use super::{Unguarded, name};

impl<S: Store> Unguarded<S> {
    /// The entry, and the barriers of what is to be stored, if the ticket still holds. The entry
    /// is looked at last: what comes between that and the put is what can be overwritten.
    pub(super) async fn vouch(
        &self,
        space: &Space,
        key: &[u8],
        ticket: &FarTicket,
        part: &Part<'_>,
    ) -> Result<Option<(Entry, Vec<Barrier>)>, FarError> {
        let Some(tokens) = Tokens::decode(ticket) else {
            return Ok(None);
        };
        let Some(barriers) = self.listed(space, &tokens, part).await? else {
            return Ok(None);
        };
        let entry = self.entry(space, key).await?;
        let own = entry.filter(|entry| entry.container.token() == tokens.entry);
        Ok(own.map(|entry| (entry, barriers)))
    }

    /// The barriers of what is to be stored, if those of the ticket are in place.
    async fn listed(
        &self,
        space: &Space,
        tokens: &Tokens,
        part: &Part<'_>,
    ) -> Result<Option<Vec<Barrier>>, FarError> {
        let mut names: BTreeSet<u64> = part.tags.iter().map(|tag| name::tag(tag)).collect();
        names.insert(name::clear());
        let asked: BTreeSet<u64> = tokens.demanded().map(|(name, _)| name).collect();
        let asked: Vec<u64> = asked.union(&names).copied().collect();
        let (_, mut barriers) = self.look(space, &[], &asked).await?;
        let mut demanded = tokens.demanded();
        let holds = demanded.all(|(name, token)| barriers.token(name) == Some(token));
        if !holds || !self.learn(space, tokens, &names, &mut barriers).await? {
            return Ok(None);
        }
        self.renew(space, &names, &barriers, part.ends).await?;
        let listed = names.iter().filter_map(|name| {
            let token = barriers.token(*name)?.head();
            Some(Barrier { name: *name, token })
        });
        Ok(Some(listed.collect()))
    }

    /// Makes what is missing of the barriers that the ticket does not know, and says whether they
    /// may be listed.
    ///
    /// Their tokens are taken now, after the source was read; so no tag may have been invalidated
    /// since the ticket was taken, and that is looked at last.
    async fn learn(
        &self,
        space: &Space,
        tokens: &Tokens,
        names: &BTreeSet<u64>,
        barriers: &mut Barriers,
    ) -> Result<bool, FarError> {
        let names = names.iter().copied();
        let unknown: Vec<u64> = names
            .filter(|name| tokens.barrier(*name).is_none())
            .collect();
        if unknown.is_empty() {
            return Ok(true);
        }
        self.complete(space, &unknown, barriers).await?;
        let any = name::any();
        let (_, last) = self.look(space, &[], &[any]).await?;
        Ok(last.token(any).is_some() && last.token(any) == tokens.barrier(any))
    }

    /// Lets barriers live on that have lived half of their life, or would not outlive what lists
    /// them: as a rule an entry lives a third of it. Not more often, for a
    /// put of an old token can undo that somebody has just dropped it.
    /// `any` is never renewed: where it is lost, a load is refused once.
    async fn renew(
        &self,
        space: &Space,
        names: &BTreeSet<u64>,
        barriers: &Barriers,
        ends: Duration,
    ) -> Result<(), FarError> {
        let least = (space.barrier() / 2).max(ends);
        for name in names {
            match barriers.token(*name) {
                Some(token) if barriers.left(*name) < least => {
                    let life = space.barrier().max(ends);
                    self.put_barrier(space, *name, token, life).await?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}
