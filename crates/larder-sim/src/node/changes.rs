//! Changes of one key, of a tag, of all.

use std::time::Duration;

use larder_core::Runtime;
use larder_engine::__private::{After, Asked as Place};

use super::Version;
use super::body::{self, Failed};
use super::loads::{after, terms};
use crate::history::{Changing, Item, Keeping, Seen, Stamp};
use crate::plan::{Body, Form, Says};
use crate::value::{Id, Shape};

impl<V: Shape> Version<V> {
    /// Changes the source, and puts without a ticket: while nobody else changes anything.
    pub(super) async fn put(&self, key: u64) -> Seen {
        self.alone().await;
        let alone = self.history.exclusive();
        let (id, written) = self.history.write(key, self.life, Keeping::default());
        let change = self.begin(key, written);
        let _ = self.cache.put(&key, id.map(|id| V::whole(id, key))).await;
        self.end(change, id);
        drop(alone);
        Seen::Nothing
    }

    /// Takes a ticket, changes the source, and puts with the ticket.
    pub(super) async fn update(&self, key: u64, form: Form, body: Body) -> Seen {
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
            .put_with(ticket, id.map(|id| V::whole(id, key)))
            .await;
        self.end(change, id);
        Seen::Nothing
    }

    async fn tagged_update(&self, key: u64, body: Body) -> Seen {
        let place = Place(&self.cache).place(&key).under(terms(key));
        let putting = place.put().await;
        let Some((id, written)) = self.write(key, Form::Tagged, body).await else {
            let failed: Result<Option<V>, _> = Err(Failed);
            let _ = putting.end(failed, |_| After::default()).await;
            return Seen::Nothing;
        };
        let change = self.begin(key, written);
        let value: Result<Option<V>, Failed> = Ok(id.map(|id| V::whole(id, key)));
        let history = self.history.clone();
        let _ = putting
            .end(value, |value| {
                after(&history, value.as_ref(), Says::default())
            })
            .await;
        self.end(change, id);
        Seen::Nothing
    }

    /// What a function does that changes the source; nothing if it fails before.
    async fn write(&self, key: u64, form: Form, body: Body) -> Option<(Option<Id>, Stamp)> {
        self.process.sleep(body.before).await;
        body::end(body.end).await.ok()?;
        self.alone().await;
        let keeping = Keeping {
            tagging: form.tagging(),
            ..Keeping::default()
        };
        let written = self.history.write(key, self.life, keeping);
        self.process.sleep(body.after).await;
        Some(written)
    }

    pub(super) async fn change(&self, item: Item, expire: bool) -> Seen {
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

    pub(super) fn begin(&self, key: u64, written: Stamp) -> Changing {
        self.history
            .change(self.life, Item::Key(key), Some(written), false)
    }

    pub(super) fn end(&self, change: Changing, id: Option<Id>) {
        self.history.ended(id);
        change.returned();
    }
}
