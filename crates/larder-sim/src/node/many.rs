//! Calls of several keys.

use std::sync::atomic::Ordering;

use larder_core::Runtime;
use larder_engine::CallOptions;

use super::calls::{got, seen};
use super::{Version, body};
use crate::history::{Asked, Given, Item, Seen};
use crate::plan::{Body, Form};
use crate::value::Shape;

impl<V: Shape> Version<V> {
    pub(super) async fn get_many(&self, key: u64) -> Vec<Given> {
        let keys = self.counted_keys(key);
        let found = self.cache.get_many(&keys).await;
        let found = keys.into_iter().zip(found);
        let given = found.map(|(key, found)| Given {
            key,
            seen: got(&found),
            outcome: None,
        });
        given.collect()
    }

    pub(super) async fn load_many(&self, asked: Asked, key: u64, body: Body) -> Vec<Given> {
        let keys = self.counted_keys(key);
        let (history, process) = (self.history.clone(), self.process.clone());
        let load = move |missing: Vec<u64>| {
            let (history, process) = (history.clone(), process.clone());
            async move {
                let running = missing.iter();
                let running = running
                    .map(|key| history.load(asked.life, *key, asked.start, asked.raises))
                    .collect::<Vec<_>>();
                process.sleep(body.before).await;
                let read = |key: &u64| (*key, history.read(*key, asked.life, Form::Plain));
                let read: Vec<_> = missing.iter().map(read).collect();
                process.sleep(body.after).await;
                body::end(body.end).await?;
                read.iter().for_each(|(_, id)| history.ended(*id));
                drop(running);
                let value = |(key, id): (u64, Option<_>)| (key, id.map(|id| V::of(id, key)));
                Ok::<_, body::Failed>(read.into_iter().map(value).collect::<Vec<_>>())
            }
        };
        let fetched = self.cache.fetch_many(&keys, CallOptions::new(), load).await;
        let fetched = keys.into_iter().zip(fetched);
        let given = fetched.map(|(key, fetched)| match fetched {
            Ok(fetched) => Given {
                key,
                seen: seen(Ok(fetched.value.as_deref())),
                outcome: Some(fetched.outcome),
            },
            Err(error) => Given {
                key,
                seen: seen::<V>(Err(error)),
                outcome: None,
            },
        });
        given.collect()
    }

    pub(super) async fn invalidate_many(&self, key: u64) -> Vec<Given> {
        self.alone().await;
        let keys = self.keys_from(key);
        let begin = |key: &u64| {
            let item = Item::Key(*key);
            self.history.change(self.life, item, None, false)
        };
        let changes: Vec<_> = keys.iter().map(begin).collect();
        let _ = self.cache.invalidate_many(&keys).await;
        for change in changes {
            change.returned();
        }
        vec![Given {
            key,
            seen: Seen::Nothing,
            outcome: None,
        }]
    }

    /// Each key is a call by itself.
    fn counted_keys(&self, key: u64) -> Vec<u64> {
        let keys = self.keys_from(key);
        self.counted.fetch_add(keys.len() as u64, Ordering::Relaxed);
        keys
    }

    /// A key and the next.
    fn keys_from(&self, key: u64) -> Vec<u64> {
        vec![key, (key + 1) % self.keys]
    }
}
