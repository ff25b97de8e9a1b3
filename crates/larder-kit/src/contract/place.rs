//! A store under test and the hand of its clock.

use std::time::Duration;

use bytes::Bytes;
use larder_core::{Address, Fetched, Found, ManualClock, Removed, Store, Ttl};

use super::Verdict;

/// A store under test and the hand of its clock. Every method says what went wrong.
pub(super) struct Place<S> {
    pub(super) store: S,
    pub(super) hand: ManualClock,
}

pub(super) const SECOND: Duration = Duration::from_secs(1);
/// For what is not about time: a real server may be slow, and age what it keeps by that.
pub(super) const HOUR: Duration = Duration::from_secs(3600);

/// The cache of checks for which its name is of no matter.
pub(super) const fn at(key: &[u8]) -> Address<'_> {
    Address::new("cache", key)
}

impl<S: Store> Place<S> {
    pub(super) async fn put(
        &self,
        address: Address<'_>,
        bytes: impl Into<Bytes>,
        ttl: Duration,
    ) -> Verdict {
        let ttl = Ttl::new(ttl).map_err(|error| error.to_string())?;
        let put = self.store.put(address, bytes.into(), ttl).await;
        put.map_err(|error| format!("put failed: {error}"))
    }

    pub(super) async fn get(&self, address: Address<'_>) -> Result<Fetched, String> {
        let got = self.store.get(address).await;
        got.map_err(|error| format!("get failed: {error}"))
    }

    pub(super) async fn remove(&self, address: Address<'_>) -> Result<Removed, String> {
        let removed = self.store.remove(address).await;
        removed.map_err(|error| format!("remove failed: {error}"))
    }

    pub(super) async fn get_many(&self, all: &[Address<'_>]) -> Result<Vec<Fetched>, String> {
        let got = self.store.get_many(all).await;
        got.map_err(|error| format!("get_many failed: {error}"))
    }

    pub(super) async fn remove_many(&self, all: &[Address<'_>]) -> Result<Vec<Removed>, String> {
        let removed = self.store.remove_many(all).await;
        removed.map_err(|error| format!("remove_many failed: {error}"))
    }

    pub(super) async fn found(&self, address: Address<'_>, when: &str) -> Result<Found, String> {
        match self.get(address).await? {
            Fetched::Found(found) => Ok(found),
            Fetched::Absent => Err(format!("nothing was found {when}")),
        }
    }

    /// These bytes are at `address`.
    pub(super) async fn holds(&self, address: Address<'_>, bytes: &[u8], when: &str) -> Verdict {
        let found = self.found(address, when).await?.bytes;
        same(&&found[..], &bytes, when)
    }

    /// Nothing is at `address`.
    pub(super) async fn lacks(&self, address: Address<'_>, when: &str) -> Verdict {
        match self.get(address).await? {
            Fetched::Absent => Ok(()),
            Fetched::Found(found) => Err(format!("{} bytes were found {when}", found.bytes.len())),
        }
    }
}

/// What a store gave and what it should have given, in short if they differ.
pub(super) fn same<T: PartialEq + std::fmt::Debug>(got: &T, wanted: &T, when: &str) -> Verdict {
    if got == wanted {
        return Ok(());
    }
    let short = |value: &T| format!("{value:?}").chars().take(200).collect::<String>();
    Err(format!(
        "{} instead of {} {when}",
        short(got),
        short(wanted)
    ))
}
