//! The case that the seed did not win: one cached value a request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use larder::{Cache, Codec as _, Larder, Postcard};
use smol::Timer;

use super::variant::Variant;
use super::{LIFE, Users};
use crate::codec::Deal;
use crate::seeds::blocking::{Blocking, Caller};
use crate::seeds::callers::{tasks, threads};
use crate::seeds::stage::{Stage, Tally};
use crate::seeds::{clock, ours};

/// Deals there are; those of small numbers are asked for more often, as by Zipf's law.
const DEALS: u64 = 1_000;

/// What the source takes.
const SOURCE: Duration = Duration::from_millis(2);

/// How often the source was asked.
static CALLS: AtomicU64 = AtomicU64::new(0);

pub(super) fn calls() -> u64 {
    CALLS.load(Ordering::Relaxed)
}

/// Lets the users of one variant read.
///
/// # Errors
/// The server takes no connection.
pub(super) fn run(variant: Variant, users: Users, stage: &Arc<Stage>) -> anyhow::Result<Tally> {
    let Users { count, port } = users;
    match variant {
        Variant::Blocking(way) => threads(count, stage, &Blocking::open(way, port)?, aside),
        _ => tasks(count, stage, cache(port, variant == Variant::Near)),
    }
}

/// As programs do it by hand: look, else ask the source and store.
fn aside(caller: &mut Caller<'_>, draw: u64) -> anyhow::Result<()> {
    let no = no(draw);
    let name = format!("bench:deals:{no}");
    let found: Option<Vec<u8>> = caller.ask(|server| redis::cmd("GET").arg(&name).query(server))?;
    let deal = match found {
        Some(bytes) => Postcard.decode(&bytes)?,
        None => {
            CALLS.fetch_add(1, Ordering::Relaxed);
            clock::pause(SOURCE);
            let deal = Deal::of(no);
            let mut bytes = Vec::with_capacity(128);
            Postcard.encode(&deal, &mut bytes)?;
            let mut set = redis::cmd("SET");
            set.arg(&name).arg(bytes);
            set.arg("PX").arg(LIFE.as_millis() as u64);
            caller.ask(|server| set.exec(server))?;
            deal
        }
    };
    right(&deal, no)
}

async fn cache(port: u16, near: bool) -> anyhow::Result<impl Fn(u64) -> Asked> {
    let store = ours::store(ours::connect(port).await?);
    let larder = Larder::builder()
        .runtime(ours::runtime())
        .far(store)
        .build()?;
    let cache = larder.cache("deals").ttl(LIFE);
    let cache: Cache<u64, Deal> = if near {
        cache.far().build()
    } else {
        cache.far_only().build()
    }
    .context("a cache to read from")?;
    Ok(move |draw| {
        let (cache, _owner) = (cache.clone(), larder.clone());
        Box::pin(async move {
            let no = no(draw);
            let deal = cache.get_or_load(&no, move || source(no)).await?;
            right(&deal, no)
        }) as Asked
    })
}

async fn source(no: u64) -> Arc<Deal> {
    CALLS.fetch_add(1, Ordering::Relaxed);
    Timer::after(SOURCE).await;
    Arc::new(Deal::of(no))
}

fn right(deal: &Deal, no: u64) -> anyhow::Result<()> {
    ensure!(deal.no == no, "another deal");
    Ok(())
}

/// A request under way.
type Asked = std::pin::Pin<Box<dyn Future<Output = anyhow::Result<()>> + Send>>;

/// Number `n` is drawn about in proportion to `1 / n`.
fn no(draw: u64) -> u64 {
    let part = (draw >> 11) as f64 / (1_u64 << 53) as f64;
    ((DEALS as f64).powf(part) as u64).min(DEALS)
}
