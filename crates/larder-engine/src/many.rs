//! Several keys in one call.

mod asked;
mod batch;
mod bring;
mod change;
mod fetch;
mod look;
mod pairs;
mod past;
mod wait;

use std::future::Future;
use std::sync::Arc;

use larder_core::{Key, LoadError, Lookup};

use crate::cache::{Cache, Got};
use crate::options::CallOptions;
use crate::outcome::Fetched;

use asked::Asked;
pub use pairs::Pairs;

impl<K: Key, V: Send + Sync + 'static> Cache<K, V> {
    /// What the cache holds for each of `keys`, in their order, as [`get`](Self::get): one trip to
    /// the far tier for all that the near one does not hold.
    ///
    /// A key that is listed twice is looked up and counted once.
    pub async fn get_many<'a, Q>(&self, keys: impl IntoIterator<Item = &'a Q>) -> Vec<Got<V>>
    where
        Q: Lookup<K> + ?Sized + 'a,
    {
        let asked = Asked::of(keys);
        let found = Box::pin(self.0.get_many(&asked)).await;
        asked.in_order(found)
    }

    /// The values of `keys`, in their order; those that the cache does not hold are loaded by
    /// **one** call of `load`, which is given them and no others. `None` is absence.
    ///
    /// `load` gives pairs of key and answer: a map, a vector, anything that is iterated, or a
    /// `Result` of it; an answer is `V`, `Arc<V>`, an `Option` of either, or a `Result` of any of
    /// these. A key without a pair is absent, as if its answer were `None`. A pair whose key was not
    /// asked for is dropped: nothing was noted of it before the source was read, so an invalidation
    /// since could not be told. Of two pairs of one key the last counts.
    ///
    /// Keys are coalesced one by one: those that any other call loads are waited for, and others
    /// join the keys that this call loads. Calls whose keys overlap crosswise wait for nobody before
    /// their own loads run, so none waits for itself. An invalidation of one key while it loads
    /// concerns that key alone.
    ///
    /// A batch is one load: one place among those that may run, and one deadline. It is detached, as
    /// other loads are. A key that is listed twice is loaded and counted once. There is no bound on
    /// the number of keys; far values of all of them must fit into one far deadline.
    ///
    /// # Errors
    /// Each key has its own. Where `load` fails, panics or is late as a whole, all keys have that
    /// error for which it was called; what the tiers hold is answered all the same. A load may be
    /// called again, for keys whose joined answer was invalidated on its way.
    ///
    /// # Cost
    /// One allocation of a few words for each key and a table of the keys, also where all are held:
    /// for one key `get_or_load` is the cheaper call.
    ///
    /// ```
    /// # use std::collections::HashMap;
    /// # use larder_engine::{Cache, Larder};
    /// # smol::block_on(async {
    /// let names: Cache<u64, String> = Larder::builder().build()?.cache("names").build()?;
    /// names.put(&1, "cart".to_owned()).await;
    /// let load = |missing: Vec<u64>| async move {
    ///     assert_eq!(missing, [2, 3]);
    ///     HashMap::from([(2, "lamp".to_owned())])
    /// };
    /// let found = names.get_or_load_many(&[2, 1, 3], load).await;
    /// let found: Vec<_> = found.into_iter().collect::<Result<_, _>>()?;
    /// assert_eq!(found[0].as_deref().map(String::as_str), Some("lamp"));
    /// assert_eq!(found[2], None);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub async fn get_or_load_many<'a, Q, R, M, B, F>(
        &self,
        keys: impl IntoIterator<Item = &'a Q>,
        load: B,
    ) -> Vec<Result<Option<Arc<V>>, LoadError>>
    where
        Q: Lookup<K> + ?Sized + 'a,
        R: Pairs<K, V, M>,
        B: Fn(Vec<K>) -> F + Send + Sync + 'static,
        F: Future<Output = R> + Send + 'static,
    {
        let asked = Asked::of(keys);
        let options = CallOptions::new();
        let found = Box::pin(self.0.fetch_many(&asked, options.ask(), load)).await;
        let value = |answer: Result<(_, _), _>| answer.map(|(value, _)| value);
        asked.in_order(found.into_iter().map(value).collect())
    }

    /// As [`get_or_load_many`](Self::get_or_load_many), with why each answer is what it is, and with
    /// what this call sets differently from its cache.
    pub async fn fetch_many<'a, Q, R, M, B, F>(
        &self,
        keys: impl IntoIterator<Item = &'a Q>,
        options: CallOptions,
        load: B,
    ) -> Vec<Result<Fetched<Option<Arc<V>>>, LoadError>>
    where
        Q: Lookup<K> + ?Sized + 'a,
        R: Pairs<K, V, M>,
        B: Fn(Vec<K>) -> F + Send + Sync + 'static,
        F: Future<Output = R> + Send + 'static,
    {
        let asked = Asked::of(keys);
        let found = Box::pin(self.0.fetch_many(&asked, options.ask(), load)).await;
        let fetched =
            |answer: Result<(_, _), _>| answer.map(|(value, outcome)| Fetched { value, outcome });
        asked.in_order(found.into_iter().map(fetched).collect())
    }

    /// As [`get_or_load_many`](Self::get_or_load_many), for a load that borrows: it runs in this
    /// call's task and ends with it; then others who wait for one of its keys load for themselves.
    ///
    /// # Errors
    /// As there.
    pub async fn get_or_load_many_scoped<'a, Q, R, M, B, F>(
        &self,
        keys: impl IntoIterator<Item = &'a Q>,
        load: B,
    ) -> Vec<Result<Option<Arc<V>>, LoadError>>
    where
        Q: Lookup<K> + ?Sized + 'a,
        R: Pairs<K, V, M>,
        B: Fn(Vec<K>) -> F,
        F: Future<Output = R>,
    {
        let asked = Asked::of(keys);
        let options = CallOptions::new();
        let found = Box::pin(self.0.fetch_many_here(&asked, options.ask(), load)).await;
        let value = |answer: Result<(_, _), _>| answer.map(|(value, _)| value);
        asked.in_order(found.into_iter().map(value).collect())
    }
}
