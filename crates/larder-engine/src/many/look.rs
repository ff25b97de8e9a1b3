//! Looking several keys up, without a load.

use std::sync::Arc;

use larder_core::far::Want;
use larder_core::{Key, Ticket};

use super::asked::Asked;
use crate::cache::{Got, Inner};
use crate::call::Call;
use crate::far::{FarLook, FarTier, FarValue};
use crate::load::Place;
use crate::mode::Mode;

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// What the cache holds for the keys, by one far trip.
    pub(super) async fn get_many(&self, asked: &Asked<K>) -> Vec<Got<V>> {
        let (ticket, mode) = (self.near.ticket(), self.mode());
        let hit = |key| self.hit_or_due(key, true, |_| true).map(got);
        let mut found: Vec<_> = asked.keys.iter().map(hit).collect();
        let open: Vec<_> = (0..found.len()).filter(|at| found[*at].is_none()).collect();
        let call = |_| Call::begin(&self.name, &self.counters);
        let calls: Vec<_> = open.iter().map(call).collect();
        let places = open.iter().map(|at| self.place(asked.keys[*at].clone()));
        let looked = match &self.far {
            Some(far) if mode.looks() && !open.is_empty() => {
                self.look_many(far, places.collect(), (ticket, mode)).await
            }
            _ => open.iter().map(|_| None).collect(),
        };
        for ((at, call), looked) in open.into_iter().zip(calls).zip(looked) {
            found[at] = Some(match looked {
                None => {
                    call.missed();
                    Got::Unknown
                }
                Some(found) => {
                    call.end(self.near.outcome_far(&found));
                    got(found.value)
                }
            });
        }
        found.into_iter().flatten().collect()
    }

    /// What the far tier holds; the near one keeps it from here on.
    async fn look_many(
        &self,
        far: &FarTier<V>,
        places: Vec<Place<K>>,
        (ticket, mode): (Ticket, Mode),
    ) -> Vec<Option<FarValue<V>>> {
        let names: Vec<_> = places.iter().map(|place| place.name.clone()).collect();
        let current = |at: usize, tags: &[String]| {
            let tags = self.near.tag_slots(tags);
            self.near.is_current(places[at].slot, &tags, ticket)
        };
        let looked = far
            .look_many(&names, &[], Want::Look, far.deadline, current)
            .await;
        let Ok(looked) = looked else {
            return places.iter().map(|_| None).collect();
        };
        let hits = places.into_iter().zip(looked).map(|(place, look)| {
            let FarLook::Hit(found, _) = look else {
                return None;
            };
            if mode.keeps() {
                self.promote(place, ticket, &found);
            }
            Some(found)
        });
        hits.collect()
    }
}

fn got<V>(value: Option<Arc<V>>) -> Got<V> {
    value.map_or(Got::KnownAbsent, Got::Value)
}
