//! A store that fails on purpose.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use larder_core::{Address, Fetched, Removed, Store, Ttl};

use crate::lock;

/// A store that fails on purpose, one operation at a time; clones are the same store.
///
/// It shows none of the abilities of the store underneath, which would go past it.
#[derive(Clone)]
pub struct FailingStore<S> {
    store: Arc<S>,
    faults: Arc<Mutex<HashMap<Operation, Fault>>>,
}

/// What a store is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the methods of `Store`")]
pub enum Operation {
    /// [`Store::get`].
    Get,
    /// [`Store::put`].
    Put,
    /// [`Store::remove`].
    Remove,
    /// [`Store::get_many`].
    GetMany,
    /// [`Store::remove_many`].
    RemoveMany,
}

impl Operation {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Get,
        Self::Put,
        Self::Remove,
        Self::GetMany,
        Self::RemoveMany,
    ];
}

struct Fault {
    times: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Refused,
    AnswerLost,
}

impl<S: Store> FailingStore<S> {
    /// A store that does what `store` does, until it is told to fail.
    #[must_use]
    pub fn new(store: S) -> Self {
        Self {
            store: Arc::new(store),
            faults: Arc::default(),
        }
    }

    /// The next `times` calls of `operation` fail and do nothing; `usize::MAX` is for ever.
    pub fn refuse(&self, operation: Operation, times: usize) {
        self.plan(operation, times, Kind::Refused);
    }

    /// The next `times` calls of `operation` do what they should and fail all the same, as when a
    /// connection breaks before the answer.
    pub fn lose_answers(&self, operation: Operation, times: usize) {
        self.plan(operation, times, Kind::AnswerLost);
    }

    /// All operations fail and do nothing, until [`heal`](Self::heal).
    pub fn die(&self) {
        for operation in Operation::ALL {
            self.refuse(operation, usize::MAX);
        }
    }

    /// Nothing fails any more.
    pub fn heal(&self) {
        lock(&self.faults).clear();
    }

    fn plan(&self, operation: Operation, times: usize, kind: Kind) {
        lock(&self.faults).insert(operation, Fault { times, kind });
    }

    /// Takes one from the faults planned for `operation`.
    fn fault(&self, operation: Operation) -> Option<Kind> {
        let mut faults = lock(&self.faults);
        let fault = faults.get_mut(&operation)?;
        if fault.times == 0 {
            return None;
        }
        if fault.times != usize::MAX {
            fault.times -= 1;
        }
        Some(fault.kind)
    }

    async fn run<T>(
        &self,
        operation: Operation,
        run: impl Future<Output = Result<T, S::Error>> + Send,
    ) -> Result<T, FailingError<S::Error>> {
        let fault = self.fault(operation);
        if fault == Some(Kind::Refused) {
            return Err(FailingError::OnPurpose(operation));
        }
        let answer = run.await.map_err(FailingError::Store)?;
        match fault {
            None => Ok(answer),
            Some(_) => Err(FailingError::OnPurpose(operation)),
        }
    }
}

impl<S: Store> Store for FailingStore<S> {
    type Error = FailingError<S::Error>;

    async fn get(&self, address: Address<'_>) -> Result<Fetched, Self::Error> {
        self.run(Operation::Get, self.store.get(address)).await
    }

    async fn put(&self, address: Address<'_>, bytes: Bytes, ttl: Ttl) -> Result<(), Self::Error> {
        self.run(Operation::Put, self.store.put(address, bytes, ttl))
            .await
    }

    async fn remove(&self, address: Address<'_>) -> Result<Removed, Self::Error> {
        self.run(Operation::Remove, self.store.remove(address))
            .await
    }

    async fn get_many(&self, addresses: &[Address<'_>]) -> Result<Vec<Fetched>, Self::Error> {
        self.run(Operation::GetMany, self.store.get_many(addresses))
            .await
    }

    async fn remove_many(&self, addresses: &[Address<'_>]) -> Result<Vec<Removed>, Self::Error> {
        self.run(Operation::RemoveMany, self.store.remove_many(addresses))
            .await
    }
}

impl<S> fmt::Debug for FailingStore<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FailingStore").finish_non_exhaustive()
    }
}

/// Why a [`FailingStore`] failed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailingError<E> {
    /// It was told to fail this operation.
    OnPurpose(Operation),
    /// The store underneath failed.
    Store(E),
}

impl<E: fmt::Display> fmt::Display for FailingError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OnPurpose(operation) => write!(f, "{operation:?} fails on purpose"),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl<E: Error + 'static> Error for FailingError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::OnPurpose(_) => None,
            Self::Store(error) => Some(error),
        }
    }
}
