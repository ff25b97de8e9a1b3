//! Calls of several keys.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use larder_core::Runtime;
use larder_engine::{CallOptions, Loaded, Mode};

use super::Version;
use super::body::{Failed, end, said_of};
use super::calls::{got, seen};
use crate::history::{Asked, Given, History, Item, Keeping, Seen};
use crate::plan::{Body, End, Tagging};
use crate::process::Process;
use crate::value::{Id, Shape};
use crate::violation::Rule;

/// Whether the function of a call gave a value for a key, or an error for it alone.
type Gave = Arc<Mutex<BTreeMap<u64, bool>>>;

/// The user's function that loads several keys.
#[derive(Clone)]
struct FunctionOfMany {
    history: History,
    process: Process,
    asked: Asked,
    body: Body,
    /// Whether it fails for the first key alone, where it is to fail.
    of_one: bool,
    gave: Gave,
}

/// What it gives for the keys that it was called for.
type Pairs<V> = Vec<(u64, Result<Loaded<V>, Failed>)>;

impl FunctionOfMany {
    async fn load<V: Shape>(self, missing: Vec<u64>) -> Result<Pairs<V>, Failed> {
        let (asked, body) = (self.asked, self.body);
        let running = missing.iter().filter(|_| asked.mode != Mode::Off);
        let running: Vec<_> = running.map(|key| self.history.load(asked, *key)).collect();
        self.process.sleep(body.before).await;
        let keeping = Keeping::said(body.says, Tagging::default(), asked.mode.keeps());
        let read = |key: u64| (key, self.history.read(key, asked.life, keeping));
        let read: Vec<_> = missing.into_iter().map(read).collect();
        self.process.sleep(body.after).await;
        let fails = self.of_one && body.end == End::Error;
        if !fails {
            if matches!(body.end, End::Error | End::Panic) {
                let keys = read.iter().map(|(key, _)| *key);
                keys.for_each(|key| self.history.failed(asked, key));
            }
            end(body.end).await?;
        }
        drop(running);
        let pairs = read.into_iter().enumerate();
        let pairs = pairs.filter_map(|(at, (key, id))| self.pair(key, id, !fails || at > 0));
        Ok(pairs.collect())
    }

    /// A key without a pair is absent as well.
    fn pair<V: Shape>(
        &self,
        key: u64,
        id: Option<Id>,
        fine: bool,
    ) -> Option<(u64, Result<Loaded<V>, Failed>)> {
        let mut gave = self.gave.lock().unwrap_or_else(PoisonError::into_inner);
        gave.insert(key, fine);
        if !fine {
            self.history.failed(self.asked, key);
            return Some((key, Err(Failed)));
        }
        self.history.came(self.asked, key);
        self.history.ended(id);
        id.map(|id| (key, Ok(said_of(self.body.says, V::whole(id, key)))))
    }
}

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
        let function = FunctionOfMany {
            history: self.history.clone(),
            process: self.process.clone(),
            asked,
            body,
            of_one,
            gave: Gave::default(),
        };
        let gave = Arc::clone(&function.gave);
        let load = move |missing| function.clone().load::<V>(missing);
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
