//! Reading.

use std::collections::{BTreeMap, BTreeSet};

use larder_core::Store;
use larder_core::container::{Container, Token};
use larder_core::far::{FarError, FarFound, FarTicket, Missing, Read, Space, Want};

use super::seen::{Barriers, Entry};
use super::ticket::Tokens;
use super::{Unguarded, life, name};

impl<S: Store> Unguarded<S> {
    pub(super) async fn read_all(
        &self,
        space: &Space,
        keys: &[&[u8]],
        tags: &[&str],
        want: Want,
    ) -> Result<Vec<Read>, FarError> {
        let names = asked(tags);
        let distinct: BTreeSet<&[u8]> = keys.iter().copied().collect();
        let distinct: Vec<&[u8]> = distinct.into_iter().collect();
        let (entries, mut barriers) = self.look(space, &distinct, &names).await?;
        self.look_behind(space, &entries, &names, &mut barriers)
            .await?;
        if want == Want::Load {
            // Without them there is no ticket; what was found is found all the same.
            let _ = self.complete(space, &names, &mut barriers).await;
        }
        let tokens = in_place(&names, &barriers);
        let mut answers = BTreeMap::new();
        for (key, entry) in distinct.into_iter().zip(entries) {
            let over = entry.as_ref().is_none_or(|entry| entry.is_over(&barriers));
            let token = match want == Want::Load && over && tokens.is_some() {
                true => self.open(space, key).await,
                false => entry.as_ref().map(|entry| entry.container.token()),
            };
            let found = usable(space, entry.as_ref(), &barriers);
            let answer = Read {
                missing: found.as_ref().err().copied().unwrap_or_default(),
                held: !over && entry.as_ref().is_some_and(Entry::is_empty),
                ticket: ticket(token, tokens.as_deref()),
                found: found.ok(),
            };
            answers.insert(key, answer);
        }
        let in_order = keys.iter().filter_map(|key| answers.get(key).cloned());
        Ok(in_order.collect())
    }

    /// Looks at the barriers that only the parts name.
    async fn look_behind(
        &self,
        space: &Space,
        entries: &[Option<Entry>],
        known: &[u64],
        barriers: &mut Barriers,
    ) -> Result<(), FarError> {
        let parts = entries
            .iter()
            .flatten()
            .flat_map(|entry| entry.container.parts());
        let listed = parts.flat_map(|part| part.barriers().iter());
        let names = listed.map(|barrier| barrier.name);
        let names: BTreeSet<u64> = names.filter(|name| !known.contains(name)).collect();
        if names.is_empty() {
            return Ok(());
        }
        let names: Vec<u64> = names.into_iter().collect();
        let (_, others) = self.look(space, &[], &names).await?;
        barriers.extend(others);
        Ok(())
    }

    /// A new token for a load, in the place of whatever was there; none if it cannot be put.
    async fn open(&self, space: &Space, key: &[u8]) -> Option<Token> {
        let token = self.token();
        let bytes = Container::new(token).to_bytes();
        let key = name::of_entry(key);
        let put = self.put(space, &key, bytes, life(space.load())).await;
        put.ok().map(|()| token)
    }
}

/// The barriers of a ticket: of the cache, and of the tags that the caller names.
fn asked(tags: &[&str]) -> Vec<u64> {
    let tags: BTreeSet<u64> = tags.iter().map(|tag| name::tag(tag)).collect();
    let of_cache = [name::clear(), name::any()];
    of_cache.into_iter().chain(tags).collect()
}

/// The part of the cache's shape, if it may be given out.
fn usable(space: &Space, entry: Option<&Entry>, barriers: &Barriers) -> Result<FarFound, Missing> {
    let entry = entry.ok_or(Missing::Absent)?;
    let Some(part) = entry.container.part(space.schema()) else {
        return Err(match entry.is_empty() {
            true => Missing::Absent,
            false => Missing::Schema,
        });
    };
    match entry.death(part, barriers) {
        Some(missing) => Err(missing),
        None => Ok(FarFound {
            bytes: part.frame().clone(),
            left: part.left(entry.left),
            expired: part.is_expired(),
        }),
    }
}

/// The tokens of these barriers, if all are in place.
fn in_place(names: &[u64], barriers: &Barriers) -> Option<Vec<(u64, Token)>> {
    let names = names.iter();
    names
        .map(|name| Some((*name, barriers.token(*name)?)))
        .collect()
}

fn ticket(entry: Option<Token>, barriers: Option<&[(u64, Token)]>) -> Option<FarTicket> {
    let (entry, barriers) = (entry?, barriers?.to_vec());
    Some(Tokens { entry, barriers }.encode())
}
