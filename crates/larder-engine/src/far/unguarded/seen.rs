//! What the store holds, as one look at it found it.

use std::collections::BTreeMap;
use std::time::Duration;

use larder_core::container::{Container, Part, Token};
use larder_core::far::{FarError, Missing, Space};
use larder_core::{Address, Fetched, Found, Store};

use super::{Unguarded, life, name};

/// An entry, and how long the store keeps it.
pub(super) struct Entry {
    pub(super) container: Container,
    pub(super) left: Duration,
}

/// The tokens of barriers that are in place, and how long the store keeps them.
#[derive(Default)]
pub(super) struct Barriers(BTreeMap<u64, (Token, Duration)>);

impl Entry {
    /// Bytes that are no container are no entry.
    fn of(fetched: Fetched) -> Option<Self> {
        let Fetched::Found(Found { bytes, left }) = fetched else {
            return None;
        };
        let container = Container::parse(&bytes).ok()?;
        Some(Self { container, left })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.container.parts().next().is_none()
    }

    /// Whether no part can ever be used again, and nobody loads one.
    pub(super) fn is_over(&self, barriers: &Barriers) -> bool {
        let mut parts = self.container.parts();
        match self.is_empty() {
            true => self.container.broken().is_some(),
            false => parts.all(|part| self.death(part, barriers).is_some()),
        }
    }

    /// Why a part may not be given out any more, if so.
    pub(super) fn death(&self, part: &Part, barriers: &Barriers) -> Option<Missing> {
        if part.left(self.left).is_zero() {
            return Some(Missing::Absent);
        }
        let fallen = |name, head| barriers.token(name).map(Token::head) != Some(head);
        let mut listed = part.barriers().iter();
        let fallen = listed.find(|barrier| fallen(barrier.name, barrier.token))?;
        Some(match fallen.name == name::clear() {
            true => Missing::Cleared,
            false => Missing::Tag,
        })
    }
}

impl Barriers {
    pub(super) fn token(&self, name: u64) -> Option<Token> {
        self.0.get(&name).map(|(token, _)| *token)
    }

    pub(super) fn left(&self, name: u64) -> Duration {
        self.0.get(&name).map_or(Duration::ZERO, |(_, left)| *left)
    }

    pub(super) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    fn note(&mut self, name: u64, fetched: Fetched) {
        let Fetched::Found(Found { bytes, left }) = fetched else {
            return;
        };
        // Bytes of another length are no token, so the barrier is missing.
        if let Ok(token) = <[u8; 16]>::try_from(&bytes[..]) {
            self.0.insert(name, (Token::new(token), left));
        }
    }
}

impl<S: Store> Unguarded<S> {
    /// Looks at entries, in the order of their keys, and at barriers, in one call of the store.
    pub(super) async fn look(
        &self,
        space: &Space,
        keys: &[&[u8]],
        names: &[u64],
    ) -> Result<(Vec<Option<Entry>>, Barriers), FarError> {
        let entries = keys.iter().map(|key| name::of_entry(key));
        let barriers = names.iter().map(|name| name::of_barrier(*name));
        let all: Vec<_> = entries.chain(barriers).collect();
        let addresses: Vec<_> = all
            .iter()
            .map(|key| Address::new(space.cache(), key))
            .collect();
        let fetched = self.store.get_many(&addresses).await;
        let mut fetched = fetched.map_err(FarError::unknown)?.into_iter();
        let entries = keys.iter().map(|_| fetched.next().and_then(Entry::of));
        let entries = entries.collect();
        let mut barriers = Barriers::default();
        for (name, fetched) in names.iter().zip(fetched) {
            barriers.note(*name, fetched);
        }
        Ok((entries, barriers))
    }

    pub(super) async fn entry(&self, space: &Space, key: &[u8]) -> Result<Option<Entry>, FarError> {
        let (mut entries, _) = self.look(space, &[key], &[]).await?;
        Ok(entries.pop().flatten())
    }

    /// Makes the tokens that are missing of these: the only way that one comes to be. Two who make
    /// one at the same time refuse each other's loads, and kill each other's values.
    pub(super) async fn complete(
        &self,
        space: &Space,
        names: &[u64],
        barriers: &mut Barriers,
    ) -> Result<(), FarError> {
        for name in names {
            if barriers.token(*name).is_none() {
                let token = self.token();
                self.put_barrier(space, *name, token, space.barrier())
                    .await?;
                barriers.0.insert(*name, (token, space.barrier()));
            }
        }
        Ok(())
    }

    pub(super) async fn put_barrier(
        &self,
        space: &Space,
        name: u64,
        token: Token,
        lives: Duration,
    ) -> Result<(), FarError> {
        let (key, bytes) = (name::of_barrier(name), Container::new(token).to_bytes());
        self.put(space, &key, bytes, life(lives)).await
    }
}
