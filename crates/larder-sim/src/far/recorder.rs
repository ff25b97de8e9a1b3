//! What the far store carries out, written down where it happens.

use std::sync::Arc;

use larder_core::BoxFuture;
use larder_core::far::{
    Barrier, FarError, FarTicket, Guarded, Part, Put, Read, Space, Stored, Want,
};

use crate::history::{Effect, History, Item, Life, Seq};
use crate::plan::Tag;
use crate::value;

/// The far store as a life reaches it, writing down what is carried out: also what is carried out
/// when nobody waits for it any more.
pub(super) struct Recorder {
    pub(super) far: Arc<dyn Guarded>,
    pub(super) history: History,
    pub(super) life: Life,
    /// Whether it stands at the store, where an operation is one step; else at the life, where it is
    /// known to be carried out once it was answered.
    pub(super) at_once: bool,
}

impl Recorder {
    async fn around<T>(
        &self,
        effects: &[Effect],
        run: BoxFuture<'_, Result<T, FarError>>,
    ) -> Result<T, FarError> {
        let _over = (!self.at_once).then(|| Over(self));
        if self.at_once {
            self.history.carries_out(effects);
        }
        let done = run.await;
        if done.is_ok() {
            effects
                .iter()
                .for_each(|effect| self.history.carried_out(*effect));
        }
        done
    }

    async fn each(
        &self,
        keys: &[&[u8]],
        expires: bool,
        run: BoxFuture<'_, Result<(), FarError>>,
    ) -> Result<(), FarError> {
        let items = keys.iter().filter_map(|key| item(key));
        let effects = items.map(|item| Effect {
            expires,
            ..self.whole(item)
        });
        self.around(&effects.collect::<Vec<_>>(), run).await
    }

    /// The effect of what leaves nothing.
    const fn whole(&self, item: Item) -> Effect {
        Effect {
            by: self.life,
            item,
            until: Seq::MAX,
            expires: false,
        }
    }
}

/// A change is over for its life, answered or given up: that raises.
struct Over<'a>(&'a Recorder);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.history.raised(self.0.life);
    }
}

/// A value is on its way into the store. Without an answer nobody knows when it gets there.
struct Kept<'a> {
    recorder: &'a Recorder,
    ids: &'a [value::Id],
    answered: bool,
}

impl<'a> Kept<'a> {
    fn begin(recorder: &'a Recorder, ids: &'a [value::Id]) -> Self {
        let answered = recorder.at_once;
        Self {
            recorder,
            ids,
            answered,
        }
    }

    fn ends(mut self, kept: bool, answered: bool) {
        self.answered |= answered;
        if kept {
            self.recorder.history.stored(self.ids);
        }
    }
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        if !self.answered {
            self.recorder.history.adrift(self.ids);
        }
    }
}

/// The key that goes by this name.
fn item(name: &[u8]) -> Option<Item> {
    let text = std::str::from_utf8(name).ok()?;
    text.parse().ok().map(Item::Key)
}

impl Guarded for Recorder {
    fn read<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
        tags: &'a [&'a str],
        want: Want,
    ) -> BoxFuture<'a, Result<Vec<Read>, FarError>> {
        Box::pin(async move {
            // A put without a ticket takes one by a read, and then raises.
            let raises = !self.at_once && self.history.is_exclusive();
            let _over = raises.then(|| Over(self));
            self.far.read(space, keys, tags, want).await
        })
    }

    fn store_if<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
        part: Part<'a>,
    ) -> BoxFuture<'a, Result<Stored, FarError>> {
        Box::pin(async move {
            let ids = value::ids(&part.bytes);
            let open = Kept::begin(self, &ids);
            let stored = self.far.store_if(space, key, ticket, part).await;
            open.ends(matches!(stored, Ok(Stored::Stored)), stored.is_ok());
            stored
        })
    }

    fn put_if<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
        part: Part<'a>,
    ) -> BoxFuture<'a, Result<Put, FarError>> {
        Box::pin(async move {
            let ids = value::ids(&part.bytes);
            // Absence names no value: what such a put undoes is not known, so nothing is.
            let written = ids.first().and_then(|&id| self.history.read_of(id));
            let until = written.map_or(0, |stamp| stamp.seq);
            let effect = item(key).map(|item| Effect {
                until,
                ..self.whole(item)
            });
            let open = effect.map(|effect| self.history.puts(effect));
            let run = self.far.put_if(space, key, ticket, part);
            let kept = Kept::begin(self, &ids);
            let put = self.around(effect.as_slice(), run).await;
            if let (Some(open), Ok(_)) = (open, &put) {
                self.history.has_put(open);
            }
            kept.ends(matches!(put, Ok(Put::Stored)), put.is_ok());
            put
        })
    }

    fn invalidate<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<(), FarError>> {
        Box::pin(self.each(keys, false, self.far.invalidate(space, keys)))
    }

    fn expire<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<(), FarError>> {
        Box::pin(self.each(keys, true, self.far.expire(space, keys)))
    }

    fn drop_barrier<'a>(
        &'a self,
        space: &'a Space,
        barrier: Barrier<'a>,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        let item = match barrier {
            Barrier::All => Some(Item::All),
            Barrier::Tag(name) => {
                let mut tags = Tag::ALL.into_iter();
                tags.find(|tag| tag.name() == name).map(Item::Tag)
            }
        };
        {
            let run = self.far.drop_barrier(space, barrier);
            let effect = item.map(|item| self.whole(item));
            Box::pin(async move { self.around(effect.as_slice(), run).await })
        }
    }

    fn release<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        self.far.release(space, key, ticket)
    }
}
