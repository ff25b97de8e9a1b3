//! A batch past the cache.

use std::future::Future;

use larder_core::{Key, LoadError};

use super::asked::Asked;
use super::bring::{Found, run};
use super::pairs::Pairs;
use crate::answer::Told;
use crate::cache::Inner;
use crate::call::Call;
use crate::load::{Answered, Ask};
use crate::outcome::Outcome;

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// The function alone, in the call, for all keys.
    pub(super) async fn past_many<R, M, B, F>(
        &self,
        asked: &Asked<K>,
        ask: &Ask,
        body: &B,
    ) -> Vec<Answered<V>>
    where
        R: Pairs<K, V, M>,
        B: Fn(Vec<K>) -> F,
        F: Future<Output = R>,
    {
        let call = |_| Call::begin(&self.name, &self.counters);
        let calls: Vec<_> = asked.keys.iter().map(call).collect();
        let mut found = match asked.keys.is_empty() {
            true => Ok(Found::new()),
            false => self.alone(ask, run(body, asked.keys.clone())).await,
        };
        let answers = asked.keys.iter().zip(calls).map(|(key, call)| {
            let answer = taken(&mut found, key);
            call.answered(&answer);
            answer
        });
        answers.collect()
    }
}

fn taken<K: Key, V>(found: &mut Result<Found<K, V>, LoadError>, key: &K) -> Answered<V> {
    let told = match found {
        Ok(found) => found.remove(key).unwrap_or_else(|| Ok(Told::of(None))),
        Err(error) => Err(error.clone()),
    };
    Ok((told?.bare()?, Outcome::BYPASSED))
}
