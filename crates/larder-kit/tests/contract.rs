//! The contract suite finds what is wrong with a store.

use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use larder_core::{Address, Clock, Fetched, Removed, Store, Ttl};
use larder_kit::{KitError, MapStore, contract};

/// A map that is wrong in one way.
#[derive(Clone)]
struct Broken {
    map: MapStore,
    wrong: Wrong,
    first: Arc<Mutex<HashMap<Vec<u8>, Ttl>>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Wrong {
    TimeTooLong,
    TimeTooShort,
    TimeLeftTooLong,
    NeverEnds,
    EndsAtOnceIfLong,
    ReadingProlongs,
    PutKeepsFirstBytes,
    PutKeepsFirstTime,
    LosesEmpty,
    CutsLarge,
    IgnoresCache,
    JoinsByColon,
    ReadsKeysAsText,
    CutsKeys,
    TrimsKeys,
    FindsWhatIsNotThere,
    RemoveDoesNothing,
    RemoveSaysRemoved,
    RemoveSaysAbsent,
    RemovesTheCache,
    ManyTurned,
    ManyWithoutDoubles,
    ManyWithoutAbsent,
    ManyAtLeastOne,
    RemoveManyTurned,
    RemoveManyDoesOne,
    MixesThreads,
    Panics,
    Fails,
}

use Wrong::*;

impl Broken {
    fn new(wrong: Wrong, clock: Clock) -> Self {
        Self {
            map: MapStore::new(clock),
            wrong,
            first: Arc::default(),
        }
    }

    fn is(&self, wrong: Wrong) -> bool {
        self.wrong == wrong
    }

    /// The cache and the key under which the map keeps what is put at `address`.
    fn place(&self, address: Address<'_>) -> (String, Vec<u8>) {
        let (cache, key) = (address.cache(), address.key());
        match self.wrong {
            IgnoresCache => (String::new(), key.to_vec()),
            JoinsByColon => {
                let joined = [cache.as_bytes(), b":", key].concat();
                (String::new(), joined)
            }
            ReadsKeysAsText => (
                cache.into(),
                String::from_utf8_lossy(key).into_owned().into(),
            ),
            CutsKeys => (cache.into(), key[..key.len().min(1 << 16)].to_vec()),
            TrimsKeys => (cache.into(), key.trim_ascii().to_vec()),
            _ => (cache.into(), key.to_vec()),
        }
    }

    fn ttl(&self, key: &[u8], ttl: Ttl) -> Ttl {
        let first = *self
            .first
            .lock()
            .expect("nothing panics")
            .entry(key.into())
            .or_insert(ttl);
        let changed = match self.wrong {
            TimeTooLong => ttl.duration() + Duration::from_nanos(1),
            TimeTooShort => ttl.duration() / 2,
            NeverEnds => Ttl::MAX.duration(),
            EndsAtOnceIfLong if ttl == Ttl::MAX => Ttl::MIN.duration(),
            PutKeepsFirstTime => first.duration(),
            _ => ttl.duration(),
        };
        Ttl::new(changed).unwrap_or(Ttl::MIN)
    }
}

impl Store for Broken {
    type Error = KitError;

    async fn get(&self, address: Address<'_>) -> Result<Fetched, KitError> {
        if self.is(Fails) {
            return Err(KitError::new("no line"));
        }
        let (cache, key) = self.place(address);
        let place = Address::new(&cache, &key);
        let Ok(mut got) = self.map.get(place).await;
        match &mut got {
            Fetched::Found(found) if self.is(TimeLeftTooLong) => {
                found.left += Duration::from_millis(1);
            }
            Fetched::Found(found) if self.is(MixesThreads) && found.bytes.len() == 1024 => {
                found.bytes = found.bytes.slice(1..);
            }
            Fetched::Found(found) if self.is(ReadingProlongs) => {
                let Ok(()) = self.map.put(place, found.bytes.clone(), Ttl::MAX).await;
            }
            Fetched::Absent if self.is(FindsWhatIsNotThere) => {
                let Ok(()) = self.map.put(place, Bytes::new(), Ttl::MIN).await;
                return Ok(self.map.get(place).await.unwrap_or(Fetched::Absent));
            }
            _ => {}
        }
        Ok(got)
    }

    async fn put(&self, address: Address<'_>, bytes: Bytes, ttl: Ttl) -> Result<(), KitError> {
        assert!(!self.is(Panics), "out of order");
        let (cache, key) = self.place(address);
        let place = Address::new(&cache, &key);
        let ttl = self.ttl(&key, ttl);
        let Ok(before) = self.map.get(place).await;
        let bytes = match (self.wrong, before) {
            (PutKeepsFirstBytes, Fetched::Found(found)) => found.bytes,
            (CutsLarge, _) => bytes.slice(..bytes.len().min(1 << 16)),
            (LosesEmpty, _) if bytes.is_empty() => return Ok(()),
            _ => bytes,
        };
        let Ok(()) = self.map.put(place, bytes, ttl).await;
        Ok(())
    }

    async fn remove(&self, address: Address<'_>) -> Result<Removed, KitError> {
        let (cache, key) = self.place(address);
        let place = Address::new(&cache, &key);
        match self.wrong {
            RemoveDoesNothing => return Ok(Removed::Removed),
            RemovesTheCache => {
                for key in 0..=u8::MAX {
                    let Ok(_) = self.map.remove(Address::new(&cache, &[key])).await;
                }
            }
            _ => {}
        }
        let Ok(removed) = self.map.remove(place).await;
        Ok(match self.wrong {
            RemoveSaysRemoved => Removed::Removed,
            RemoveSaysAbsent => Removed::Absent,
            _ => removed,
        })
    }

    async fn get_many(&self, addresses: &[Address<'_>]) -> Result<Vec<Fetched>, KitError> {
        let mut asked = addresses.to_vec();
        match self.wrong {
            ManyTurned => asked.reverse(),
            ManyWithoutDoubles => asked = without_doubles(&asked),
            ManyAtLeastOne if asked.is_empty() => asked.push(Address::new("", b"")),
            _ => {}
        }
        let mut all = Vec::new();
        for address in asked {
            all.push(self.get(address).await?);
        }
        if self.is(ManyWithoutAbsent) {
            all.retain(|fetched| *fetched != Fetched::Absent);
        }
        Ok(all)
    }

    async fn remove_many(&self, addresses: &[Address<'_>]) -> Result<Vec<Removed>, KitError> {
        let mut all = Vec::new();
        for (number, &address) in addresses.iter().enumerate() {
            if number > 0 && self.is(RemoveManyDoesOne) {
                all.push(Removed::Absent);
            } else {
                all.push(self.remove(address).await?);
            }
        }
        if self.is(RemoveManyTurned) {
            all.reverse();
        }
        Ok(all)
    }
}

fn without_doubles<'a>(asked: &[Address<'a>]) -> Vec<Address<'a>> {
    let first = |&(number, address): &(usize, &Address<'_>)| !asked[..number].contains(address);
    asked
        .iter()
        .enumerate()
        .filter(first)
        .map(|(_, address)| *address)
        .collect()
}

/// What is wrong, and a check that must say so.
const WRONGS: [(Wrong, &str); 29] = [
    (TimeTooLong, "time_left_falls_and_is_never_too_long"),
    (TimeTooShort, "time_left_falls_and_is_never_too_long"),
    (TimeLeftTooLong, "time_left_falls_and_is_never_too_long"),
    (NeverEnds, "nothing_is_found_once_its_time_is_over"),
    (
        EndsAtOnceIfLong,
        "the_shortest_and_the_longest_time_are_kept",
    ),
    (ReadingProlongs, "reading_prolongs_nothing"),
    (PutKeepsFirstBytes, "put_replaces_bytes_and_time"),
    (PutKeepsFirstTime, "put_replaces_bytes_and_time"),
    (LosesEmpty, "what_was_put_comes_back"),
    (CutsLarge, "what_was_put_comes_back"),
    (IgnoresCache, "addresses_share_nothing"),
    (JoinsByColon, "addresses_share_nothing"),
    (ReadsKeysAsText, "addresses_share_nothing"),
    (CutsKeys, "addresses_share_nothing"),
    (TrimsKeys, "addresses_share_nothing"),
    (FindsWhatIsNotThere, "nothing_is_there_before"),
    (RemoveDoesNothing, "remove_removes_and_says_so"),
    (RemoveSaysRemoved, "nothing_is_there_before"),
    (RemoveSaysAbsent, "remove_removes_and_says_so"),
    (RemovesTheCache, "remove_removes_and_says_so"),
    (ManyTurned, "get_many_answers_in_order"),
    (ManyWithoutDoubles, "get_many_answers_in_order"),
    (ManyWithoutAbsent, "get_many_answers_in_order"),
    (ManyAtLeastOne, "get_many_answers_in_order"),
    (RemoveManyTurned, "remove_many_answers_in_order"),
    (RemoveManyDoesOne, "remove_many_answers_in_order"),
    (MixesThreads, "threads_see_whole_values_and_their_own"),
    (Panics, "what_was_put_comes_back"),
    (Fails, "nothing_is_there_before"),
];

#[test]
fn each_wrong_store_is_found_out_directly_and_through_any_store() {
    for (wrong, check) in WRONGS {
        let violations = contract::violations(|clock| Broken::new(wrong, clock));
        let found = violations
            .iter()
            .filter(|violation| violation.check() == check);
        assert_eq!(found.count(), 2, "{wrong:?}: {violations:?}");
    }
}

#[test]
fn every_check_finds_something_out() {
    let proven: BTreeSet<_> = WRONGS.iter().map(|(_, check)| *check).collect();
    let all: BTreeSet<_> = contract::CHECKS.iter().copied().collect();
    assert_eq!(proven, all);
}

#[test]
fn the_panic_lists_all_that_is_wrong() {
    let run = || contract::store(|clock| Broken::new(Panics, clock));
    let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("the store is broken");
    let text = panic.downcast_ref::<String>().expect("a text");
    assert!(
        text.contains("what_was_put_comes_back, directly: "),
        "{text}"
    );
    assert!(
        text.contains("threads_see_whole_values_and_their_own, as AnyStore: "),
        "{text}"
    );
    assert!(text.contains("out of order"), "{text}");
}
