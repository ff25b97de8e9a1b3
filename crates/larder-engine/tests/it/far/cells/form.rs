//! The forms of a call that loads.

use std::thread;

use futures_lite::StreamExt;
use larder_core::{BoxFuture, LoadError, LoadErrorKind};
use larder_engine::__private::{After, Asked};
use larder_engine::{Cache, CallOptions, Loaded};
use larder_kit::KitError;

use super::body::{Body, End};

pub(super) type Lists = Cache<u64, Vec<u64>>;
pub(super) type Answer = Result<Vec<u64>, LoadErrorKind>;
pub(super) type Call = BoxFuture<'static, Answer>;
pub(super) type Thread = thread::JoinHandle<Answer>;

/// Whose the load is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    Detach,
    HandOver,
    Cancel,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    /// That may find the old value unchanged.
    Reload,
    Attribute,
    /// Whose work blocks, on the runtime's pool.
    Offloaded,
    /// That joins a function that blocks its thread.
    Blocking,
    Stream,
    /// That is given what is old while the load runs behind it.
    Refresh,
    Batch,
}

impl Form {
    pub(super) const ALL: [Self; 8] = [
        Self::Plain,
        Self::Reload,
        Self::Attribute,
        Self::Offloaded,
        Self::Blocking,
        Self::Stream,
        Self::Refresh,
        Self::Batch,
    ];

    /// A load in its caller's task is neither streamed nor in the background.
    pub(super) fn lives(self) -> &'static [Life] {
        match self {
            Self::Stream | Self::Refresh | Self::Reload => &[Life::Detach, Life::Cancel],
            _ => &[Life::Detach, Life::HandOver, Life::Cancel],
        }
    }

    pub(super) fn ends(self) -> &'static [End] {
        const ENDS: [End; 5] = [End::Value, End::Error, End::Panic, End::Hang, End::Partly];
        match self {
            Self::Stream | Self::Batch => &ENDS,
            _ => &ENDS[..4],
        }
    }

    /// How many calls are counted: of a batch each key, and of a function that blocks its own.
    pub(super) fn calls(self) -> u64 {
        match self {
            Self::Blocking | Self::Batch => 2,
            _ => 1,
        }
    }

    /// A call of key 1.
    pub(super) fn call(self, cache: &Lists, body: &Body, life: Life) -> Call {
        let (cache, body) = (cache.clone(), body.clone());
        match self {
            Self::Plain | Self::Blocking | Self::Refresh => plain(cache, life, move || body.run()),
            Self::Offloaded => plain(cache, life, move || body.offload()),
            Self::Reload => Box::pin(async move {
                let load = move |_| async move { body.run().await.map(Loaded::new) };
                kind(cache.get_or_reload(&1, options(life), load).await)
            }),
            Self::Attribute => attribute(cache, body, life),
            Self::Stream => {
                let items = cache.get_or_stream_with(&1, options(life), move || body.stream());
                Box::pin(async move { kind(items.try_collect().await) })
            }
            Self::Batch => batch(cache, body, life),
        }
    }
}

fn options(life: Life) -> CallOptions {
    match life {
        Life::Cancel => CallOptions::new().cancel(),
        Life::Detach | Life::HandOver => CallOptions::new(),
    }
}

fn kind(answer: Result<Vec<u64>, LoadError>) -> Answer {
    answer.map_err(|error| error.kind())
}

fn plain<F>(cache: Lists, life: Life, load: impl FnOnce() -> F + Send + 'static) -> Call
where
    F: Future<Output = Result<Vec<u64>, KitError>> + Send + 'static,
{
    Box::pin(async move {
        kind(match life {
            Life::HandOver => cache.get_or_load_scoped(&1, load).await,
            _ => cache.get_or_load_with(&1, options(life), load).await,
        })
    })
}

type Said = Result<Vec<u64>, KitError>;

fn said(answer: Result<Said, LoadError>) -> Answer {
    // A caller that can say the source's error is given that.
    match answer {
        Ok(said) => said.map_err(|_| LoadErrorKind::Source),
        Err(error) => Err(error.kind()),
    }
}

fn none(_: &Vec<u64>) -> After {
    After::default()
}

fn attribute(cache: Lists, body: Body, life: Life) -> Call {
    let load = move || body.run();
    Box::pin(async move {
        let place = match Asked(&cache).hit::<Said, _, _>(&1) {
            Ok(answer) => return said(Ok(answer)),
            Err(place) => place,
        };
        said(match life {
            Life::Detach => place.load::<Said, _, _, _, _, _>(load, none).await,
            Life::Cancel => place.cancel::<Said, _, _, _, _, _>(load, none).await,
            Life::HandOver => place.hold::<Said, _, _, _, _, _>(load, none).await,
        })
    })
}

/// The function that blocks, in a thread of its own.
pub(super) fn block(cache: &Lists, body: &Body) -> Thread {
    let (cache, body) = (cache.clone(), body.clone());
    thread::spawn(move || match Asked(&cache).hit::<Said, _, _>(&1) {
        Ok(answer) => said(Ok(answer)),
        Err(place) => said(place.block::<Said, _, _, _, _>(move || body.block(), none)),
    })
}

fn batch(cache: Lists, body: Body, life: Life) -> Call {
    let load = move |keys| body.clone().pairs(keys);
    Box::pin(async move {
        let keys = [1, 2];
        let value = |value: Option<std::sync::Arc<Vec<u64>>>| value.unwrap().to_vec();
        let first = match life {
            Life::Detach => cache.get_or_load_many(&keys, load).await.remove(0),
            Life::HandOver => cache.get_or_load_many_scoped(&keys, load).await.remove(0),
            Life::Cancel => {
                let mut found = cache.fetch_many(&keys, options(life), load).await;
                found.remove(0).map(|fetched| fetched.value)
            }
        };
        kind(first.map(value))
    })
}
