//! Streams: one running source for all who ask, from the start.

mod drive;
mod find;
mod follow;
mod log;
mod past;
mod series;
mod streamed;

use larder_core::{Key, Lookup};

use crate::cache::Cache;
use crate::load::Ask;
use crate::options::CallOptions;

pub use drive::{ByStream, Drive, Driven, Inlet, Own};
pub use series::Series;
pub use streamed::Streamed;

impl<K: Key, V: Series> Cache<K, V> {
    /// The elements of `key`: those that the cache holds, or those of the stream that `source`
    /// makes, each as soon as it is there.
    ///
    /// Nothing happens before the stream is polled. Then, if a source of the key is running, the
    /// call is given what that has given so far and follows it live; else it starts one. A source
    /// that has ended is kept as one value, in one step; later calls are given its elements
    /// without touching the source, and [`get`](Self::get) gives all of them at once.
    ///
    /// - **Ends**: the first error ends the stream for all who follow, after the elements before it,
    ///   and nothing is kept. The source is not polled again. An empty stream is kept.
    /// - **Lives**: the source runs detached, as fast as it can, whoever leaves or is slow; with
    ///   [`CallOptions::cancel`] it ends with the last who follows.
    /// - **Times**: the load's deadline is that of the whole run. Between two elements there is no
    ///   other. Who follows is given `TimedOut` then, after what had come.
    /// - **Bounds**: a source is one load among those that may run. Of more elements than
    ///   [`max_stream`](crate::CacheBuilder::max_stream) the cache keeps none: the stream is passed
    ///   through with so many in memory at most, who comes later starts a source of its own, and the
    ///   source waits for the slowest who follows; but one that is all of these behind another that
    ///   waits is ended with `Refused`.
    /// - **Invalidation**: elements that were given cannot be taken back, so a running source is
    ///   joined only as long as nothing at all was invalidated in the cache since it began. What it
    ///   gives is kept only if nothing that names it was.
    ///
    /// A call that finds a load of the whole value running waits for that. Under a
    /// [`Mode`](crate::Mode) that does not look each call has a source of its own. Where the cache has a
    /// [stale window](crate::CacheBuilder::stale), what is past its time is given where the source
    /// fails before its first element, and not else: a stream refreshes nothing beside.
    ///
    /// # Cost
    /// A hit allocates nothing. A call that follows takes a lock for each element, and clones it.
    ///
    /// ```
    /// # use futures_lite::{StreamExt, stream};
    /// # use larder_engine::{Cache, Larder};
    /// # smol::block_on(async {
    /// let lines: Cache<u64, Vec<String>> = Larder::builder().build()?.cache("lines").build()?;
    /// let source = || stream::iter(["a", "b"]).map(|line| std::io::Result::Ok(line.to_owned()));
    /// let all: Vec<_> = lines.get_or_stream(&5, source).try_collect().await?;
    /// assert_eq!(all, ["a", "b"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn get_or_stream<Q, D>(&self, key: &Q, source: D) -> Streamed<K, V, D>
    where
        Q: Lookup<K> + ?Sized,
        D: Drive<V>,
    {
        self.get_or_stream_with(key, CallOptions::new(), source)
    }

    /// As [`get_or_stream`](Self::get_or_stream), with what this call sets differently.
    pub fn get_or_stream_with<Q, D>(
        &self,
        key: &Q,
        options: CallOptions,
        source: D,
    ) -> Streamed<K, V, D>
    where
        Q: Lookup<K> + ?Sized,
        D: Drive<V>,
    {
        self.stream(key.to_key(), options.ask(), source)
    }

    pub(crate) fn stream<D: Drive<V>>(&self, key: K, ask: Ask, source: D) -> Streamed<K, V, D> {
        Streamed::new(self.0.clone(), key, ask, source)
    }
}
