//! Tasks that read from the server.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use larder::{Cache, Larder, Raw, Ttl};
use larder_core::{Address, Fetched, Store as _};
use larder_redis::{Reply, Request, Wire as _};

use super::variant::Variant;
use crate::seeds::callers::tasks;
use crate::seeds::stage::{Stage, Tally};
use crate::seeds::{blocking, ours};

const KEYS: u64 = 1_000;
const VALUE: Bytes = Bytes::from_static(&[b'v'; 200]);
const LIFE: Duration = Duration::from_secs(300);
const CACHE: &str = "hits";

/// A request under way.
type Asked = std::pin::Pin<Box<dyn Future<Output = anyhow::Result<()>> + Send>>;

/// Lets so many tasks read, all on this thread.
///
/// # Errors
/// The server takes no connection.
pub(super) fn run(
    variant: Variant,
    count: u64,
    port: u16,
    stage: &Arc<Stage>,
) -> anyhow::Result<Tally> {
    match variant {
        Variant::Tool | Variant::Both | Variant::Crate => tasks(count, stage, by_crate(port)),
        Variant::Wire => tasks(count, stage, wire(port)),
        Variant::Store => tasks(count, stage, store(port)),
        Variant::Get => tasks(count, stage, get(port)),
        Variant::Far => tasks(count, stage, far(port)),
    }
}

fn name(draw: u64) -> String {
    format!("bench:hits:{}", draw % KEYS)
}

fn fill(port: u16) -> anyhow::Result<()> {
    let mut pipeline = redis::pipe();
    for key in 0..KEYS {
        pipeline.set_ex(name(key), &VALUE[..], LIFE.as_secs());
    }
    let mut connection = blocking::client(port)?.get_connection()?;
    Ok(pipeline.exec(&mut connection)?)
}

async fn by_crate(port: u16) -> anyhow::Result<impl Fn(u64) -> Asked> {
    fill(port)?;
    let client = blocking::client(port)?;
    let connection = client.get_multiplexed_async_connection().await?;
    Ok(move |draw| {
        let mut connection = connection.clone();
        Box::pin(async move {
            let mut get = redis::cmd("GET");
            let value: Vec<u8> = get.arg(name(draw)).query_async(&mut connection).await?;
            right(&value)
        }) as Asked
    })
}

async fn wire(port: u16) -> anyhow::Result<impl Fn(u64) -> Asked> {
    fill(port)?;
    let connection = Arc::new(ours::connect(port).await?);
    Ok(move |draw| {
        let connection = Arc::clone(&connection);
        Box::pin(async move {
            let get = Request::command("GET", vec![name(draw).into()]);
            let reply = connection.send(vec![get]).await?.pop();
            match reply {
                Some(Reply::Bytes(value)) => right(&value),
                other => anyhow::bail!("no value: {other:?}"),
            }
        }) as Asked
    })
}

async fn store(port: u16) -> anyhow::Result<impl Fn(u64) -> Asked> {
    let store = ours::store(ours::connect(port).await?);
    for key in 0..KEYS {
        let key = key.to_be_bytes();
        store
            .put(Address::new(CACHE, &key), VALUE, Ttl::new(LIFE)?)
            .await?;
    }
    Ok(move |draw: u64| {
        let store = store.clone();
        Box::pin(async move {
            let key = (draw % KEYS).to_be_bytes();
            match store.get(Address::new(CACHE, &key)).await? {
                Fetched::Found(found) => right(&found.bytes),
                other => anyhow::bail!("no value: {other:?}"),
            }
        }) as Asked
    })
}

/// A cache that lies in the server alone, with all keys.
async fn cache(port: u16) -> anyhow::Result<(Larder, Cache<u64, Bytes>)> {
    let store = ours::store(ours::connect(port).await?);
    let larder = Larder::builder()
        .runtime(ours::runtime())
        .far(store)
        .build()?;
    let cache = larder.cache(CACHE).ttl(LIFE).codec(Raw).without_near();
    let cache: Cache<u64, Bytes> = cache.build().context("a cache to read from")?;
    for key in 0..KEYS {
        cache
            .get_or_load(&key, || async { Arc::new(VALUE) })
            .await?;
    }
    Ok((larder, cache))
}

async fn get(port: u16) -> anyhow::Result<impl Fn(u64) -> Asked> {
    let (larder, cache) = cache(port).await?;
    Ok(move |draw: u64| {
        let (cache, _owner) = (cache.clone(), larder.clone());
        Box::pin(async move {
            let key = draw % KEYS;
            let mut value = cache.get(&key).await.value();
            if value.is_none() {
                // What is under way when a node begins to hear of the others is not used.
                value = cache.get(&key).await.value();
            }
            right(&value.context("no value")?)
        }) as Asked
    })
}

async fn far(port: u16) -> anyhow::Result<impl Fn(u64) -> Asked> {
    let (larder, cache) = cache(port).await?;
    Ok(move |draw: u64| {
        let (cache, _owner) = (cache.clone(), larder.clone());
        Box::pin(async move {
            let load = || async { Arc::new(VALUE) };
            right(&cache.get_or_load(&(draw % KEYS), load).await?)
        }) as Asked
    })
}

fn right(value: &[u8]) -> anyhow::Result<()> {
    ensure!(value.len() == VALUE.len(), "another value");
    Ok(())
}
