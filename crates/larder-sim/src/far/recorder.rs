//! What the far store carries out, written down where it happens.

use larder_core::BoxFuture;
use larder_core::far::{
    Barrier, FarError, FarTicket, Guarded, Part, Put, Read, Space, Stored, Want,
};
use larder_memory::Shelf;

use crate::history::{Effect, History, Item, Life, Seq};
use crate::plan::Tag;
use crate::value;

/// The far store as a life reaches it, writing down what is carried out: also what is carried out
/// when nobody waits for it any more.
pub(super) struct Recorder {
    pub(super) shelf: Shelf,
    pub(super) history: History,
    pub(super) life: Life,
}

impl Recorder {
    async fn around<T>(
        &self,
        item: Option<Item>,
        until: Seq,
        run: BoxFuture<'_, Result<T, FarError>>,
    ) -> Result<T, FarError> {
        let by = self.life;
        let effect = item.map(|item| Effect { by, item, until });
        if let Some(effect) = effect {
            self.history.carries_out(effect);
        }
        let done = run.await;
        if let (Some(effect), Ok(_)) = (effect, &done) {
            self.history.carried_out(effect);
        }
        done
    }

    async fn each(
        &self,
        keys: &[&[u8]],
        run: BoxFuture<'_, Result<(), FarError>>,
    ) -> Result<(), FarError> {
        // The engine changes one key at a time.
        let item = keys.first().and_then(|key| item(key));
        self.around(item, Seq::MAX, run).await
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
        self.shelf.read(space, keys, tags, want)
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
            let stored = self.shelf.store_if(space, key, ticket, part).await;
            if let Ok(Stored::Stored) = stored {
                self.history.stored(&ids);
            }
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
            let run = self.shelf.put_if(space, key, ticket, part);
            let put = self.around(item(key), until, run).await;
            if let Ok(Put::Stored) = put {
                self.history.stored(&ids);
            }
            put
        })
    }

    fn invalidate<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<(), FarError>> {
        Box::pin(self.each(keys, self.shelf.invalidate(space, keys)))
    }

    fn expire<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<(), FarError>> {
        Box::pin(self.each(keys, self.shelf.expire(space, keys)))
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
        Box::pin(self.around(item, Seq::MAX, self.shelf.drop_barrier(space, barrier)))
    }

    fn release<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        self.shelf.release(space, key, ticket)
    }
}
