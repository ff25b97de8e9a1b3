//! Calls of several keys.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use larder_core::Runtime;
use larder_engine::{CallOptions, Mode};

use super::calls::{got, seen};
use super::{Version, body};
use crate::history::{Asked, Given, Item, Keeping, Seen};
use crate::plan::{Body, End, Tagging};
use crate::value::Shape;
use crate::violation::Rule;

/// Whether the function of a call gave a value for a key, or an error for it alone.
type Gave = Arc<Mutex<BTreeMap<u64, bool>>>;

impl<V: Shape> Version<V> {
    pub(super) async fn get_many(&self, key: u64, count: u64) -> Vec<Given> {
        let keys = self.counted_keys(key, count);
        let found = self.cache.get_many(&keys).await;
        let found = keys.into_iter().zip(found);
        let given = found.map(|(key, found)| Given {
            key,
            seen: got(&found),
            outcome: None,
        });
        given.collect()
    }

    /// A load of several keys; where it is to fail it fails for one alone, if that is said.
    pub(super) async fn load_many(
        &self,
        asked: Asked,
        (key, count): (u64, u64),
        body: Body,
        of_one: bool,
    ) -> Vec<Given> {
        let keys = self.counted_keys(key, count);
        let gave = Gave::default();
        let (history, process, noted) = (
            self.history.clone(),
            self.process.clone(),
            Arc::clone(&gave),
        );
        let load = move |missing: Vec<u64>| {
            let (history, process) = (history.clone(), process.clone());
            let noted = Arc::clone(&noted);
            async move {
                let running = missing.iter().filter(|_| asked.mode != Mode::Off);
                let running = running
                    .map(|key| history.load(asked, *key))
                    .collect::<Vec<_>>();
                process.sleep(body.before).await;
                let keeping = Keeping::said(body.says, Tagging::default(), asked.mode.keeps());
                let read = |key: &u64| (*key, history.read(*key, asked.life, keeping));
                let read: Vec<_> = missing.iter().map(read).collect();
                process.sleep(body.after).await;
                let fails = of_one && body.end == End::Error;
                if !fails {
                    body::end(body.end).await?;
                }
                drop(running);
                let answer = |(at, (key, id)): (usize, (u64, Option<_>))| {
                    let fine = !fails || at > 0;
                    let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
                    noted.insert(key, fine);
                    if !fine {
                        return Some((key, Err(body::Failed)));
                    }
                    history.ended(id);
                    // A key without a pair is absent as well.
                    id.map(|id| (key, Ok(body::said_of(body.says, V::whole(id, key)))))
                };
                let answers = read.into_iter().enumerate().filter_map(answer);
                Ok::<_, body::Failed>(answers.collect::<Vec<_>>())
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
        let given: Vec<_> = given.collect();
        self.each_its_own(&given, &gave);
        given
    }

    /// The error of one key is no other key's.
    fn each_its_own(&self, given: &[Given], gave: &Gave) {
        let gave = gave.lock().unwrap_or_else(PoisonError::into_inner);
        for Given { key, seen, .. } in given {
            let failed = matches!(seen, Seen::Failed(kind) if kind == "Source");
            if failed && gave.get(key) == Some(&true) {
                let text = format!("node {} is given an error for key {key}", self.life);
                self.history.breaks(Rule::Wrong, text);
            }
        }
    }

    /// Changes the source, and puts without tickets: while nobody else changes anything.
    pub(super) async fn put_many(&self, key: u64, count: u64) -> Vec<Given> {
        self.alone().await;
        let alone = self.history.exclusive();
        let mut puts = Vec::new();
        for key in self.keys_from(key, count) {
            let (id, written) = self.history.write(key, self.life, Keeping::default());
            puts.push((key, id, self.begin(key, written)));
        }
        let values: Vec<_> = puts
            .iter()
            .map(|(key, id, _)| (key, id.map(|id| V::whole(id, *key))))
            .collect();
        let _ = self.cache.put_many(values).await;
        for (_, id, change) in puts {
            self.end(change, id);
        }
        drop(alone);
        changed(key)
    }

    pub(super) async fn invalidate_many(&self, key: u64, count: u64) -> Vec<Given> {
        self.alone().await;
        let keys = self.keys_from(key, count);
        let begin = |key: &u64| {
            let item = Item::Key(*key);
            self.history.change(self.life, item, None, false)
        };
        let changes: Vec<_> = keys.iter().map(begin).collect();
        let _ = self.cache.invalidate_many(&keys).await;
        for change in changes {
            change.returned();
        }
        changed(key)
    }

    /// Each key is a call by itself.
    fn counted_keys(&self, key: u64, count: u64) -> Vec<u64> {
        let keys = self.keys_from(key, count);
        keys.iter().for_each(|_| self.counts());
        keys
    }

    /// A key and the next ones.
    fn keys_from(&self, key: u64, count: u64) -> Vec<u64> {
        (key..key + count).map(|key| key % self.keys).collect()
    }
}

fn changed(key: u64) -> Vec<Given> {
    vec![Given {
        key,
        seen: Seen::Nothing,
        outcome: None,
    }]
}
