//! Many callers at once.

use std::thread::{self, ScopedJoinHandle};

use futures_lite::future::block_on;
use larder_core::{Fetched, Store};

use super::Verdict;
use super::place::{HOUR, Place, at};

const THREADS: u8 = 4;
const ROUNDS: usize = 100;

/// Each thread has a key of its own and one that it shares with all.
pub(super) async fn threads_see_whole_values_and_their_own<S: Store>(place: &Place<S>) -> Verdict {
    thread::scope(|scope| {
        let start = |number| scope.spawn(move || block_on(work(place, number)));
        let threads: Vec<_> = (0..THREADS).map(start).collect();
        // All are joined before the first verdict is looked at: a panic is a verdict too.
        let ends: Vec<_> = threads.into_iter().map(ScopedJoinHandle::join).collect();
        let panicked = || Err("a thread panicked".into());
        ends.into_iter()
            .try_for_each(|end| end.unwrap_or_else(|_| panicked()))
    })
}

async fn work<S: Store>(place: &Place<S>, number: u8) -> Verdict {
    let value = vec![number; 1024];
    let own = [number];
    for _ in 0..ROUNDS {
        place.put(at(&own), value.clone(), HOUR).await?;
        place.put(at(b"shared"), value.clone(), HOUR).await?;
        place
            .holds(at(&own), &value, "while others put theirs")
            .await?;
        for fetched in place.get_many(&[at(b"shared"), at(&own)]).await? {
            whole(&fetched)?;
        }
        place.remove(at(b"shared")).await?;
        place.remove(at(&own)).await?;
        place.lacks(at(&own), "after its thread removed it").await?;
    }
    Ok(())
}

fn whole(fetched: &Fetched) -> Verdict {
    let Fetched::Found(found) = fetched else {
        return Ok(());
    };
    let one = found
        .bytes
        .first()
        .is_some_and(|first| found.bytes.iter().all(|b| b == first));
    if found.bytes.len() == 1024 && one {
        return Ok(());
    }
    Err("a value was found that nobody put as a whole".into())
}
