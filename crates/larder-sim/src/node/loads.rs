//! Loads of one key.

use larder_core::LoadError;
use larder_engine::__private::{After, Asked as Place, Terms};
use larder_engine::{CallOptions, Fetched, Mode, Previous};

use super::Version;
use super::body::{Failed, Function};
use super::calls::seen;
use crate::history::{Asked, History, Seen};
use crate::plan::{Body, Form, Says, Tag};
use crate::value::Shape;

impl<V: Shape> Version<V> {
    pub(super) async fn load(&self, asked: Asked, key: u64, form: Form, body: Body) -> Seen {
        self.counts();
        let function = self.function(asked, key, body).tagged(form);
        match form {
            Form::Plain => {
                let load = move || function.loaded::<V>();
                fetched(self.cache.fetch(&key, load).await)
            }
            Form::Cancelled => {
                let options = CallOptions::new().cancel().tag(Tag::of_key(key).name());
                let load = move || function.loaded::<V>();
                fetched(self.cache.fetch_with(&key, options, load).await)
            }
            Form::Scoped => {
                let load = move || function.loaded::<V>();
                let loaded = self.cache.get_or_load_scoped(&key, load).await;
                seen(loaded.as_ref().map(Option::as_ref).map_err(Clone::clone))
            }
            Form::Tagged => {
                self.tagged(key, body.says, move || function.load::<V>())
                    .await
            }
        }
    }

    /// As the attribute does it.
    async fn tagged<F>(
        &self,
        key: u64,
        says: Says,
        load: impl FnOnce() -> F + Send + 'static,
    ) -> Seen
    where
        F: Future<Output = Result<Option<V>, Failed>> + Send + 'static,
    {
        let loaded = match Place(&self.cache).hit::<Result<Option<V>, Failed>, _, _>(&key) {
            Ok(held) => Ok(held),
            Err(place) => {
                let history = self.history.clone();
                let after = move |value: &Option<V>| after(&history, value.as_ref(), says);
                let place = place.under(terms(key));
                place
                    .load::<Result<Option<V>, Failed>, _, _, _, _, _>(load, after)
                    .await
            }
        };
        match loaded {
            Ok(Ok(value)) => seen(Ok(value.as_ref())),
            Ok(Err(failed)) => Seen::Failed(failed.to_string()),
            Err(error) => seen::<V>(Err(error)),
        }
    }

    pub(super) async fn load_under(&self, asked: Asked, key: u64, mode: Mode, body: Body) -> Seen {
        self.counts();
        let function = self.function(asked, key, body);
        let options = CallOptions::new().mode(mode);
        let load = move || function.loaded::<V>();
        fetched(self.cache.fetch_with(&key, options, load).await)
    }

    pub(super) async fn reload(&self, asked: Asked, key: u64, body: Body) -> Seen {
        self.counts();
        let function = self.function(asked, key, body);
        let load = move |previous: Option<Previous<V>>| function.reloaded(previous);
        let options = CallOptions::new();
        let loaded = self.cache.get_or_reload(&key, options, load).await;
        seen(loaded.as_ref().map(Option::as_ref).map_err(Clone::clone))
    }

    /// The user's function, for a call.
    pub(super) fn function(&self, asked: Asked, key: u64, body: Body) -> Function {
        let (history, process) = (self.history.clone(), self.process.clone());
        Function::new(history, process, asked, key, body)
    }
}

pub(super) fn terms(key: u64) -> Terms {
    Terms {
        tags: vec![Tag::of_key(key).name().to_owned()],
        ..Terms::default()
    }
}

pub(super) fn after<V: Shape>(history: &History, value: Option<&V>, says: Says) -> After {
    let tag = value.and_then(|value| history.tag_of_version(value.id()));
    After {
        tags: tag.iter().map(|tag| tag.name().to_owned()).collect(),
        ttl: says.ttl,
        unless: says.unstored,
        ..After::default()
    }
}

fn fetched<V: Shape>(fetched: Result<Fetched<Option<V>>, LoadError>) -> Seen {
    match fetched {
        Ok(fetched) => seen(Ok(fetched.value.as_ref())),
        Err(error) => seen::<V>(Err(error)),
    }
}
