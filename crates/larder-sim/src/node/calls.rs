//! Making a call: one verb after the other.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_lite::FutureExt;
use larder_core::{BoxFuture, LoadError, Runtime};
use larder_engine::{Got, Mode, Stats, observe};

use super::{Service, Version};
use crate::history::{Asked, Given, History, Item, Life, Seen};
use crate::plan::{Step, Verb};
use crate::process::Process;
use crate::value::Shape;

/// Makes a call and checks its answer; the caller leaves when its step says so.
pub(super) async fn made(
    cache: Arc<dyn Service>,
    process: Process,
    history: History,
    life: Life,
    step: Step,
) {
    let mode = cache.mode().and(step.verb.mode());
    let asked = history.asks(life, mode, &step);
    let open = Open(Some((history.clone(), asked)));
    let leaves = step.leaves;
    let seen = async { Some(observe(cache.perform(asked, step)).await) };
    let seen = match leaves {
        None => seen.await,
        Some(after) => {
            let leaving = async {
                process.sleep(after).await;
                None
            };
            seen.or(leaving).await
        }
    };
    if let Some((mut given, why)) = seen {
        open.answered();
        if let [given] = given.as_mut_slice() {
            given.outcome = why.last().map(|observed| *observed.outcome());
        }
        history.answered(asked, &given);
    }
}

/// A call that has not ended; dropped, it was left.
struct Open(Option<(History, Asked)>);

impl Open {
    fn answered(mut self) {
        self.0 = None;
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some((history, asked)) = self.0.take() {
            history.left(asked);
        }
    }
}

impl<V: Shape> Service for Version<V> {
    fn perform(self: Arc<Self>, asked: Asked, step: Step) -> BoxFuture<'static, Vec<Given>> {
        Box::pin(async move {
            let key = step.key;
            match step.verb {
                Verb::GetMany(keys) => self.get_many(key, keys).await,
                Verb::LoadMany(keys, body, of_one) => {
                    self.load_many(asked, (key, keys), body, of_one).await
                }
                Verb::PutMany(keys) => self.put_many(key, keys).await,
                Verb::InvalidateMany(keys) => self.invalidate_many(key, keys).await,
                _ => {
                    let seen = self.one(asked, step).await;
                    vec![Given {
                        key,
                        seen,
                        outcome: None,
                    }]
                }
            }
        })
    }

    fn stats(&self) -> Stats {
        self.cache.stats()
    }

    fn mode(&self) -> Mode {
        self.cache.mode()
    }

    fn switch(&self, mode: Mode) {
        self.cache.switch(mode);
    }
}

impl<V: Shape> Version<V> {
    /// A call of one key, or of none.
    async fn one(&self, asked: Asked, step: Step) -> Seen {
        let key = step.key;
        match step.verb {
            Verb::Get => self.get(key).await,
            Verb::Load(form, body) => self.load(asked, key, form, body).await,
            Verb::LoadUnder(mode, body) => self.load_under(asked, key, mode, body).await,
            Verb::Reload(body) => self.reload(asked, key, body).await,
            Verb::Stream(form, body, pace) => self.stream(asked, key, (form, body, pace)).await,
            Verb::Put => self.put(key).await,
            Verb::Update(form, body) => self.update(key, form, body).await,
            Verb::Invalidate => self.change(Item::Key(key), false).await,
            Verb::Expire => self.change(Item::Key(key), true).await,
            Verb::InvalidateTag(tag) => self.change(Item::Tag(tag), false).await,
            Verb::Clear => self.change(Item::All, false).await,
            Verb::Switch(mode) => {
                self.cache.switch(mode);
                Seen::Nothing
            }
            Verb::GetMany(_) | Verb::LoadMany(..) | Verb::PutMany(_) | Verb::InvalidateMany(_) => {
                Seen::Nothing
            }
        }
    }

    async fn get(&self, key: u64) -> Seen {
        self.counts();
        got(&self.cache.get(&key).await)
    }

    /// One more call is made that the statistics count.
    pub(super) fn counts(&self) {
        self.counted.fetch_add(1, Ordering::Relaxed);
    }
}

pub(super) fn got<V: Shape>(got: &Got<V>) -> Seen {
    match got {
        Got::Value(value) => seen(Ok(Some(value.as_ref()))),
        Got::KnownAbsent => Seen::Absent,
        Got::Unknown => Seen::Nothing,
    }
}

/// What a call gave, as the history takes it.
pub(super) fn seen<V: Shape>(loaded: Result<Option<&V>, LoadError>) -> Seen {
    match loaded {
        Ok(Some(value)) if !value.is_whole() => Seen::Torn(value.id()),
        Ok(Some(value)) => Seen::Value(value.id()),
        Ok(None) => Seen::Absent,
        Err(error) => Seen::Failed(format!("{:?}", error.kind())),
    }
}
