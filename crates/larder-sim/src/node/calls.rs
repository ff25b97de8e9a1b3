//! Making a call: one verb after the other.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_lite::FutureExt;
use larder_core::{BoxFuture, LoadError, Runtime};
use larder_engine::__private::{After, Asked as Place, Terms};
use larder_engine::{CallOptions, Fetched, Got, Stats, observe};

use super::{Service, Version, body};
use crate::history::{Asked, Changing, Given, History, Item, Life, Seen, Stamp};
use crate::plan::{Body, Form, Step, Tag, Verb};
use crate::process::Process;
use crate::value::{Id, Shape};

/// Makes a call and checks its answer; the caller leaves when its step says so.
pub(super) async fn made(
    cache: Arc<dyn Service>,
    process: Process,
    history: History,
    life: Life,
    step: Step,
) {
    let asked = history.asks(life, || format!("{:?} key {}", step.verb, step.key));
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
                Verb::GetMany => self.get_many(key).await,
                Verb::LoadMany(body) => self.load_many(asked, key, body).await,
                Verb::InvalidateMany => self.invalidate_many(key).await,
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
}

impl<V: Shape> Version<V> {
    /// A call of one key, or of none.
    async fn one(&self, asked: Asked, step: Step) -> Seen {
        let key = step.key;
        match step.verb {
            Verb::Get => self.get(key).await,
            Verb::Load(form, body) => self.load(asked, key, form, body).await,
            Verb::Put => self.put(key).await,
            Verb::Update(form, body) => self.update(key, form, body).await,
            Verb::Invalidate => self.change(Item::Key(key), false).await,
            Verb::Expire => self.change(Item::Key(key), true).await,
            Verb::InvalidateTag(tag) => self.change(Item::Tag(tag), false).await,
            Verb::Clear => self.change(Item::All, false).await,
            Verb::GetMany | Verb::LoadMany(_) | Verb::InvalidateMany => Seen::Nothing,
        }
    }

    async fn get(&self, key: u64) -> Seen {
        self.counted.fetch_add(1, Ordering::Relaxed);
        got(&self.cache.get(&key).await)
    }

    async fn load(&self, asked: Asked, key: u64, form: Form, body: Body) -> Seen {
        self.counted.fetch_add(1, Ordering::Relaxed);
        let (history, process) = (self.history.clone(), self.process.clone());
        let load = move || body::load::<V>(history, process, asked, key, form, body);
        match form {
            Form::Plain => fetched(self.cache.fetch(&key, load).await),
            Form::Cancelled => {
                let tag = Tag::of_key(key).name();
                let options = CallOptions::new().cancel().tag(tag);
                fetched(self.cache.fetch_with(&key, options, load).await)
            }
            Form::Scoped => {
                let loaded = self.cache.get_or_load_scoped(&key, load).await;
                seen(loaded.as_ref().map(Option::as_ref).map_err(Clone::clone))
            }
            Form::Tagged => self.tagged(key, load).await,
        }
    }

    /// As the attribute does it.
    async fn tagged<F>(&self, key: u64, load: impl FnOnce() -> F + Send + 'static) -> Seen
    where
        F: Future<Output = Result<Option<V>, body::Failed>> + Send + 'static,
    {
        let loaded = match Place(&self.cache).hit::<Result<Option<V>, body::Failed>, _, _>(&key) {
            Ok(held) => Ok(held),
            Err(place) => {
                let history = self.history.clone();
                let after = move |value: &Option<V>| after(&history, value.as_ref());
                let place = place.under(terms(key));
                place
                    .load::<Result<Option<V>, body::Failed>, _, _, _, _, _>(load, after)
                    .await
            }
        };
        match loaded {
            Ok(Ok(value)) => seen(Ok(value.as_ref())),
            Ok(Err(failed)) => Seen::Failed(failed.to_string()),
            Err(error) => seen::<V>(Err(error)),
        }
    }

    /// Changes the source, and puts without a ticket: while nobody else changes anything.
    async fn put(&self, key: u64) -> Seen {
        self.alone().await;
        let alone = self.history.exclusive();
        let (id, written) = self.history.write(key, self.life, Form::Plain);
        let change = self.begin(key, written);
        let _ = self.cache.put(&key, id.map(|id| V::of(id, key))).await;
        self.end(change, id);
        drop(alone);
        Seen::Nothing
    }

    /// Takes a ticket, changes the source, and puts with the ticket.
    async fn update(&self, key: u64, form: Form, body: Body) -> Seen {
        if form == Form::Tagged {
            return self.tagged_update(key, body).await;
        }
        let ticket = self.cache.ticket(&key).await;
        let Some((id, written)) = self.write(key, Form::Plain, body).await else {
            return Seen::Nothing;
        };
        let change = self.begin(key, written);
        let _ = self
            .cache
            .put_with(ticket, id.map(|id| V::of(id, key)))
            .await;
        self.end(change, id);
        Seen::Nothing
    }

    async fn tagged_update(&self, key: u64, body: Body) -> Seen {
        let place = Place(&self.cache).place(&key).under(terms(key));
        let putting = place.put().await;
        let Some((id, written)) = self.write(key, Form::Tagged, body).await else {
            let failed: Result<Option<V>, _> = Err(body::Failed);
            let _ = putting.end(failed, |_| After::default()).await;
            return Seen::Nothing;
        };
        let change = self.begin(key, written);
        let value: Result<Option<V>, body::Failed> = Ok(id.map(|id| V::of(id, key)));
        let history = self.history.clone();
        let _ = putting
            .end(value, |value| after(&history, value.as_ref()))
            .await;
        self.end(change, id);
        Seen::Nothing
    }

    /// What a function does that changes the source; nothing if it fails before.
    async fn write(&self, key: u64, form: Form, body: Body) -> Option<(Option<Id>, Stamp)> {
        self.process.sleep(body.before).await;
        body::end(body.end).await.ok()?;
        self.alone().await;
        let written = self.history.write(key, self.life, form);
        self.process.sleep(body.after).await;
        Some(written)
    }

    async fn change(&self, item: Item, expire: bool) -> Seen {
        self.alone().await;
        let change = self.history.change(self.life, item, None, expire);
        let _ = match item {
            Item::Key(key) if expire => self.cache.expire(&key).await,
            Item::Key(key) => self.cache.invalidate(&key).await,
            Item::Tag(tag) => self.cache.invalidate_tag(tag.name()).await,
            Item::All => self.cache.clear().await,
        };
        change.returned();
        Seen::Nothing
    }

    /// Waits while somebody puts without a ticket.
    pub(super) async fn alone(&self) {
        while self.history.is_exclusive() {
            self.process.sleep(Duration::from_millis(1)).await;
        }
    }

    fn begin(&self, key: u64, written: Stamp) -> Changing {
        self.history
            .change(self.life, Item::Key(key), Some(written), false)
    }

    fn end(&self, change: Changing, id: Option<Id>) {
        self.history.ended(id);
        change.returned();
    }
}

fn terms(key: u64) -> Terms {
    Terms {
        tags: vec![Tag::of_key(key).name().to_owned()],
        ..Terms::default()
    }
}

fn after<V: Shape>(history: &History, value: Option<&V>) -> After {
    let tag = value.and_then(|value| history.tag_of_version(value.id()));
    After {
        tags: tag.iter().map(|tag| tag.name().to_owned()).collect(),
        ..After::default()
    }
}

fn fetched<V: Shape>(fetched: Result<Fetched<Option<V>>, LoadError>) -> Seen {
    match fetched {
        Ok(fetched) => seen(Ok(fetched.value.as_ref())),
        Err(error) => seen::<V>(Err(error)),
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
        Ok(Some(value)) => Seen::Value(value.id()),
        Ok(None) => Seen::Absent,
        Err(error) => Seen::Failed(format!("{:?}", error.kind())),
    }
}
