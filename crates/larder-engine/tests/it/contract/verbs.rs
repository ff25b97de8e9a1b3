//! Every kind of call that loads.

use std::fmt::Error;
use std::future::pending;

use futures_lite::{StreamExt, stream};
use larder_core::BoxFuture;
use larder_engine::__private::{After, Asked};
use larder_engine::{Cache, CallOptions, Loaded, Previous, Series};
use larder_kit::Gate;

/// What a load does.
#[derive(Clone)]
pub(super) enum Load {
    Value,
    Error,
    Panic,
    Pending,
    Held(Gate),
}

pub(super) async fn run(load: Load) -> Result<Last, Error> {
    match load {
        Load::Value => Ok(Last(7)),
        Load::Error => Err(Error),
        Load::Panic => panic!("on purpose"),
        Load::Pending => pending().await,
        Load::Held(gate) => {
            gate.wait().await;
            Ok(Last(7))
        }
    }
}

async fn pairs(keys: Vec<u64>, load: Load) -> Result<Vec<(u64, Last)>, Error> {
    let value = run(load).await?;
    Ok(keys.into_iter().map(|key| (key, value)).collect())
}

pub(super) type Verb = fn(Lasts, Load) -> BoxFuture<'static, ()>;

/// Every kind of call that loads, of key 1.
pub(super) const VERBS: [(&str, Verb); 13] = [
    ("get_or_load", |cache, load| {
        Box::pin(async move { drop(cache.get_or_load(&1, || run(load)).await) })
    }),
    ("get_or_load_with", |cache, load| {
        let options = CallOptions::new();
        Box::pin(async move { drop(cache.get_or_load_with(&1, options, || run(load)).await) })
    }),
    ("get_or_load_with cancel", |cache, load| {
        let options = CallOptions::new().cancel();
        Box::pin(async move { drop(cache.get_or_load_with(&1, options, || run(load)).await) })
    }),
    ("get_or_load_scoped", |cache, load| {
        Box::pin(async move { drop(cache.get_or_load_scoped(&1, || run(load)).await) })
    }),
    ("fetch", |cache, load| {
        Box::pin(async move { drop(cache.fetch(&1, || run(load)).await) })
    }),
    ("get_or_reload", |cache, load| {
        let reload = |_: Option<Previous<Last>>| async { run(load).await.map(Loaded::new) };
        let options = CallOptions::new();
        Box::pin(async move { drop(cache.get_or_reload(&1, options, reload).await) })
    }),
    ("get_or_load_many", |cache, load| {
        let body = move |keys| pairs(keys, load.clone());
        Box::pin(async move { drop(cache.get_or_load_many(&[1, 1], body).await) })
    }),
    ("fetch_many", |cache, load| {
        let body = move |keys| pairs(keys, load.clone());
        let options = CallOptions::new();
        Box::pin(async move { drop(cache.fetch_many(&[1], options, body).await) })
    }),
    ("get_or_load_many_scoped", |cache, load| {
        let body = move |keys| pairs(keys, load.clone());
        Box::pin(async move { drop(cache.get_or_load_many_scoped(&[1], body).await) })
    }),
    ("attribute", |cache, load| {
        Box::pin(async move {
            if let Err(place) = Asked(&cache).hit::<Result<Last, Error>, _, _>(&1) {
                let none = |_: &Last| After::default();
                drop(
                    place
                        .load::<Result<Last, Error>, _, _, _, _, _>(|| run(load), none)
                        .await,
                );
            }
        })
    }),
    ("attribute, in the call", |cache, load| {
        Box::pin(async move {
            if let Err(place) = Asked(&cache).hit::<Result<Last, Error>, _, _>(&1) {
                let none = |_: &Last| After::default();
                drop(
                    place
                        .hold::<Result<Last, Error>, _, _, _, _, _>(|| run(load), none)
                        .await,
                );
            }
        })
    }),
    ("get_or_stream", |cache, load| {
        Box::pin(async move {
            let source = move || Box::pin(stream::once_future(run(load)));
            drop(
                cache
                    .get_or_stream(&1, source)
                    .try_collect::<_, _, Vec<_>>()
                    .await,
            );
        })
    }),
    ("get_or_stream_with cancel", |cache, load| {
        Box::pin(async move {
            let options = CallOptions::new().cancel();
            let source = move || Box::pin(stream::once_future(run(load)));
            let items = cache.get_or_stream_with(&1, options, source);
            drop(items.try_collect::<_, _, Vec<_>>().await);
        })
    }),
];

/// A value that can be loaded, put and streamed: of a stream's elements it is the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Last(pub(super) u64);

pub(super) type Lasts = Cache<u64, Last>;

impl Series for Last {
    type Item = Self;

    fn of(items: Vec<Self>) -> Self {
        *items.last().expect("each source gives one")
    }

    fn item(&self, at: usize) -> Option<Self> {
        (at == 0).then_some(*self)
    }
}
