//! The write case: three values a request.

use std::sync::Arc;

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use futures_lite::future::zip;
use larder::{Cache, Change, Larder, Raw, Ttl};
use larder_core::{Address, Store as _};
use larder_redis::{Reply, Request, Wire as _};

use super::variant::Variant;
use super::{LIFE, Users};
use crate::seeds::blocking::{Blocking, Caller, Way};
use crate::seeds::callers::{tasks, threads};
use crate::seeds::ours;
use crate::seeds::stage::{Stage, Tally};

/// As the seed's values are, or nearly.
const VALUE: Bytes = Bytes::from_static(&[b'v'; 200]);
const KEYS: u64 = 10_000;
const CACHE: &str = "writes";

/// Lets the users of one variant write.
///
/// # Errors
/// The server takes no connection.
pub(super) fn run(variant: Variant, users: Users, stage: &Arc<Stage>) -> anyhow::Result<Tally> {
    let Users { count, port } = users;
    match variant {
        Variant::Blocking(way) => {
            threads(count, stage, &Blocking::open(way, port)?, one_after_another)
        }
        Variant::Pipelined => threads(
            count,
            stage,
            &Blocking::open(Way::Each, port)?,
            in_a_pipeline,
        ),
        Variant::Batch => tasks(count, stage, batch(port)),
        Variant::Joined => tasks(count, stage, joined(port)),
        _ => tasks(count, stage, cache(port)),
    }
}

fn one_after_another(caller: &mut Caller<'_>, draw: u64) -> anyhow::Result<()> {
    caller.ask(|connection| {
        let mut keys = keys(draw).into_iter();
        keys.try_for_each(|key| set(&name(key)).exec(connection))
    })
}

fn in_a_pipeline(caller: &mut Caller<'_>, draw: u64) -> anyhow::Result<()> {
    let mut pipeline = redis::pipe();
    for key in keys(draw) {
        pipeline.add_command(set(&name(key)));
    }
    caller.ask(|connection| pipeline.exec(connection))
}

fn set(name: &str) -> redis::Cmd {
    let mut set = redis::cmd("SET");
    set.arg(name).arg(&VALUE[..]);
    set.arg("PX").arg(LIFE.as_millis() as u64);
    set
}

async fn batch(port: u16) -> anyhow::Result<impl Fn(u64) -> Asked> {
    let connection = Arc::new(ours::connect(port).await?);
    Ok(move |draw| {
        let connection = Arc::clone(&connection);
        Box::pin(async move {
            let batch = keys(draw).map(|key| request(&name(key)));
            let replies = connection.send(batch.into()).await?;
            let fine = replies.iter().filter(|reply| **reply == Reply::ok());
            ensure!(fine.count() == 3, "not three times OK: {replies:?}");
            Ok(())
        }) as Asked
    })
}

fn request(name: &str) -> Request {
    let life = LIFE.as_millis().to_string();
    let args = [Bytes::copy_from_slice(name.as_bytes()), VALUE];
    let life = [Bytes::from_static(b"PX"), life.into()];
    Request::command("SET", args.into_iter().chain(life).collect())
}

async fn joined(port: u16) -> anyhow::Result<impl Fn(u64) -> Asked> {
    let store = ours::store(ours::connect(port).await?);
    let ttl = Ttl::new(LIFE)?;
    Ok(move |draw| {
        let store = store.clone();
        Box::pin(async move {
            let [one, two, three] = keys(draw).map(|key| key.to_be_bytes());
            let put = |key| store.put(Address::new(CACHE, key), VALUE, ttl);
            let ((one, two), three) = zip(zip(put(&one), put(&two)), put(&three)).await;
            Ok(one.and(two).and(three)?)
        }) as Asked
    })
}

async fn cache(port: u16) -> anyhow::Result<impl Fn(u64) -> Asked> {
    let store = ours::store(ours::connect(port).await?);
    let larder = Larder::builder()
        .runtime(ours::runtime())
        .far(store)
        .build()?;
    let cache = larder.cache(CACHE).ttl(LIFE).codec(Raw).without_near();
    let cache: Cache<u64, Bytes> = cache.build().context("a cache to write to")?;
    Ok(move |draw| {
        let (cache, _owner) = (cache.clone(), larder.clone());
        Box::pin(async move {
            let keys = keys(draw);
            let change = cache.put_many(keys.iter().map(|key| (key, VALUE))).await;
            ensure!(change == Change::Done, "not stored: {change:?}");
            Ok(())
        }) as Asked
    })
}

/// A request under way.
type Asked = std::pin::Pin<Box<dyn Future<Output = anyhow::Result<()>> + Send>>;

/// Three keys that lie beside each other, wherever.
fn keys(draw: u64) -> [u64; 3] {
    [0, 1, 2].map(|next| (draw % KEYS + next) % KEYS)
}

fn name(key: u64) -> String {
    format!("bench:writes:{key}")
}
