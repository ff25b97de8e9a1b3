//! What is published on the server, read by the checker.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bytes::Bytes;
use larder_core::far::Change;

use crate::history::{History, Item, Seq};
use crate::plan::Tag;
use crate::server::{Listener, Server};
use crate::value;

/// Hears on the server itself what is published, whatever the nodes hear of it.
pub(crate) struct Overheard {
    server: Server,
    history: History,
    /// On a cluster, where a change and its message are two requests: when an entry was deleted last.
    deleted: Mutex<HashMap<Bytes, Seq>>,
}

/// Version, kind, node and digest; then the number as text.
const HEAD: usize = 18;

impl Overheard {
    pub(super) fn start(server: &Server, history: &History) -> Arc<Self> {
        let this = Arc::new(Self {
            server: server.clone(),
            history: history.clone(),
            deleted: Mutex::default(),
        });
        let listener: Weak<Self> = Arc::downgrade(&this);
        server.listen(listener);
        this
    }

    /// What was called before this has happened when it is told: what came after the deletion is not
    /// what an old message tells of.
    fn until(&self, item: Item) -> Seq {
        let Item::Key(key) = item else {
            return Seq::MAX;
        };
        if !self.server.is_cluster() {
            return Seq::MAX;
        }
        let end = format!(":{key}");
        let deleted = self.deleted.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = deleted.iter();
        let found = all.find(|(name, _)| name.ends_with(end.as_bytes()));
        found.map_or(0, |(_, at)| *at)
    }

    /// The values that the entry of a key holds now.
    fn kept(&self, key: u64) -> Vec<value::Id> {
        let end = format!(":{key}");
        let names = self.server.names().into_iter();
        let entries =
            names.filter(|name| !name.starts_with(b"{") && name.ends_with(end.as_bytes()));
        let texts = entries.filter_map(|name| self.server.peek(&name));
        texts.flat_map(|(text, _)| value::ids(&text)).collect()
    }
}

impl Listener for Overheard {
    fn published(self: Arc<Self>, _: &Bytes, text: &Bytes) {
        let Some((head, number)) = text.split_first_chunk::<HEAD>() else {
            return;
        };
        let kind = head[1];
        let word = |at: usize| {
            let word = head[at..at + 8].try_into();
            u64::from_le_bytes(word.unwrap_or_default())
        };
        let (node, digest) = (word(2), word(10));
        let change = match kind {
            b'a' => Change::All,
            b't' => Change::Tag(digest),
            _ => Change::Key(digest),
        };
        let Some(item) = named(change) else {
            return;
        };
        if let Item::Key(key) = item {
            self.history.stored(&self.kept(key));
        }
        let number = std::str::from_utf8(number).ok();
        if let Some(number) = number.and_then(|text| text.parse().ok()) {
            let until = self.until(item);
            self.history
                .overheard(node, number, item, kind == b'e', until);
        }
    }

    fn deleted(&self, name: &Bytes) {
        let at = self.history.moment();
        let mut deleted = self.deleted.lock().unwrap_or_else(PoisonError::into_inner);
        deleted.insert(name.clone(), at);
    }
}

/// What a message names.
pub(super) fn named(change: Change) -> Option<Item> {
    match change {
        Change::All => Some(Item::All),
        Change::Tag(digest) => tag(digest).map(Item::Tag),
        Change::Key(digest) | Change::Expired(digest) => key(digest).map(Item::Key),
    }
}

fn tag(digest: u64) -> Option<Tag> {
    let mut tags = Tag::ALL.into_iter();
    tags.find(|tag| larder_core::digest(tag.name().as_bytes()) == digest)
}

/// No run has more keys.
const KEYS: u64 = 16;

fn key(digest: u64) -> Option<u64> {
    (0..KEYS).find(|key| larder_core::digest(key.to_string().as_bytes()) == digest)
}
