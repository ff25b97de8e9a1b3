//! What the user's functions do.

use std::fmt;
use std::future::pending;
use std::panic::resume_unwind;

use futures_lite::{Stream, stream};
use larder_core::Runtime;
use larder_engine::{Loaded, Mode, Previous};

use crate::history::{Asked, History, Keeping, Running};
use crate::plan::{Body, End, Form, Says, Tagging};
use crate::process::Process;
use crate::value::{self, Element, Id, Shape};

/// The error of a function that fails.
#[derive(Debug, Clone)]
pub(super) struct Failed;

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the source fails on purpose")
    }
}

/// Ends as the body is to end; a value only where it comes to one.
pub(super) async fn end(end: End) -> Result<(), Failed> {
    match end {
        End::Value => Ok(()),
        End::Error => Err(Failed),
        // Past the hook: what is on purpose is not to be printed.
        End::Panic => resume_unwind(Box::new("the source panics on purpose")),
        End::Never => pending().await,
    }
}

/// A function that loads: it reads the source, and takes its time before and after.
pub(super) struct Function {
    history: History,
    process: Process,
    asked: Asked,
    key: u64,
    body: Body,
    tagging: Tagging,
}

impl Function {
    pub(super) fn new(
        history: History,
        process: Process,
        asked: Asked,
        key: u64,
        body: Body,
    ) -> Self {
        Self {
            history,
            process,
            asked,
            key,
            body,
            tagging: Tagging::default(),
        }
    }

    pub(super) fn tagged(mut self, form: Form) -> Self {
        self.tagging = form.tagging();
        self
    }

    /// Its load runs, and no other may; past the cache there is no such promise.
    fn begins(&self, load: fn(&History, Asked, u64) -> Running) -> Option<Running> {
        let past = self.asked.mode == Mode::Off;
        (!past).then(|| load(&self.history, self.asked, self.key))
    }

    fn keeping(&self) -> Keeping {
        Keeping::said(self.body.says, self.tagging, self.asked.mode.keeps())
    }

    fn read(&self) -> Option<Id> {
        self.history.read(self.key, self.asked.life, self.keeping())
    }

    async fn end(&self) -> Result<(), Failed> {
        if matches!(self.body.end, End::Error | End::Panic) {
            self.history.failed(self.asked, self.key);
        }
        end(self.body.end).await?;
        self.history.came(self.asked, self.key);
        Ok(())
    }

    /// The value alone: what there is to say of it is said elsewhere.
    pub(super) async fn load<V: Shape>(self) -> Result<Option<V>, Failed> {
        let running = self.begins(History::load);
        self.process.sleep(self.body.before).await;
        let id = self.read();
        self.process.sleep(self.body.after).await;
        self.end().await?;
        self.history.ended(id);
        drop(running);
        Ok(id.map(|id| V::whole(id, self.key)))
    }

    /// The value with what there is to say of it.
    pub(super) async fn loaded<V: Shape>(mut self) -> Result<Loaded<Option<V>>, Failed> {
        let (history, body) = (self.history.clone(), self.body);
        self.tagging.of_version |= body.says.tagged;
        let value: Option<V> = self.load().await?;
        let id = value.as_ref().map(V::id);
        Ok(said(&history, body, id, Loaded::new(value)))
    }

    /// As [`loaded`](Self::loaded), or that the old value is the source's still.
    pub(super) async fn reloaded<V: Shape>(
        mut self,
        previous: Option<Previous<V>>,
    ) -> Result<Loaded<Option<V>>, Failed> {
        let (history, key, body) = (self.history.clone(), self.key, self.body);
        self.tagging.of_version |= body.says.tagged;
        let old = previous.as_ref().and_then(|previous| previous.value());
        let old = old.map(|value| value.id());
        let validator = previous.as_ref().and_then(|previous| previous.validator());
        if let Some(id) = old {
            history.offered(self.asked, key, id, validator);
        }
        let running = self.begins(History::load);
        self.process.sleep(body.before).await;
        let (version, read) = history.version(key);
        let same = validator == Some(&value::validator(key, version)[..]);
        let new = if same { None } else { self.read() };
        self.process.sleep(body.after).await;
        self.end().await?;
        drop(running);
        if same {
            if let Some(id) = old {
                history.renewed(id, read, body.says);
            }
            return Ok(said(&history, body, old, Loaded::not_modified()));
        }
        history.ended(new);
        let loaded = Loaded::new(new.map(|id| V::whole(id, key)));
        let loaded = loaded.validator(value::validator(key, version));
        Ok(said(&history, body, new, loaded))
    }

    /// Its value, element by element. Absence is an error of a source of elements.
    pub(super) fn stream(
        mut self,
        kept: usize,
    ) -> impl Stream<Item = Result<Element, Failed>> + Send {
        self.tagging.of_key |= self.body.says.tagged;
        // What a stream says of its value is said before it.
        self.body.says.ttl = None;
        self.body.says.unstored = false;
        stream::unfold(Elements::new(self, kept), Elements::next)
    }
}

/// A source of elements, between two of them.
struct Elements {
    function: Function,
    /// Of so many elements a cache keeps a stream; of more it is passed through, and who comes
    /// later starts another.
    kept: usize,
    running: Option<Running>,
    id: Option<Id>,
    at: usize,
    over: bool,
}

impl Elements {
    const fn new(function: Function, kept: usize) -> Self {
        Self {
            function,
            kept,
            running: None,
            id: None,
            at: 0,
            over: false,
        }
    }

    async fn next(mut self) -> Option<(Result<Element, Failed>, Self)> {
        if self.over {
            return None;
        }
        let element = self.element().await.transpose()?;
        self.over = element.is_err();
        Some((element, self))
    }

    async fn element(&mut self) -> Result<Option<Element>, Failed> {
        let Function {
            history,
            process,
            key,
            body,
            ..
        } = &self.function;
        let id = match self.id {
            Some(id) => id,
            None => {
                // One that is not to look has a source of its own.
                if self.function.asked.mode.looks() {
                    self.running = self.function.begins(History::load_of_elements);
                }
                process.sleep(body.before).await;
                let id = self.function.read().ok_or(Failed)?;
                *self.id.insert(id)
            }
        };
        if self.at == id % (value::elements(id) + 1) {
            process.sleep(body.after).await;
            end(body.end).await?;
        }
        let element = value::element(id, *key, self.at);
        if element.is_none() {
            history.ended(Some(id));
        }
        if self.at >= self.kept || element.is_none() {
            self.running = None;
        }
        self.at += 1;
        Ok(element)
    }
}

/// A value with what is said of it before it is read.
pub(super) fn said_of<A>(says: Says, answer: A) -> Loaded<A> {
    let mut loaded = Loaded::new(answer);
    if let Some(ttl) = says.ttl {
        loaded = loaded.ttl(ttl);
    }
    if says.unstored {
        loaded = loaded.unstored();
    }
    loaded
}

fn said<V>(
    history: &History,
    body: Body,
    id: Option<Id>,
    mut loaded: Loaded<Option<V>>,
) -> Loaded<Option<V>> {
    let says = body.says;
    if let Some(ttl) = says.ttl {
        loaded = loaded.ttl(ttl);
    }
    if says.unstored {
        loaded = loaded.unstored();
    }
    let version = id.filter(|_| says.tagged);
    match version.and_then(|id| history.tag_of_version(id)) {
        Some(tag) => loaded.tag(tag.name()),
        None => loaded,
    }
}
