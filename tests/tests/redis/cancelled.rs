//! Requests whose callers have left.

use bytes::Bytes;
use larder_core::far::{Guarded, Want};
use larder_servers::until;
use smol::block_on;
use smol::future::{poll_once, yield_now};

use crate::place::{HOUR, Place, deals};

const KEYS: u64 = 50;
const TASKS: u64 = 20;
const READS: u64 = 6_200;

/// Reads, nine of ten left after a few polls at most, and says how many came to their end.
async fn reads(place: &Place, seed: u64) -> u64 {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut ended = 0;
    for _ in 0..READS {
        let number = random.u64(0..KEYS);
        let key = number.to_string();
        let (deals, keys) = (deals(), [key.as_bytes()]);
        let mut read = place.redis.read(&deals, &keys, &["tag"], Want::Look);
        let mut patience = if random.u8(0..10) == 0 {
            u64::MAX
        } else {
            random.u64(0..3)
        };
        while patience > 0 {
            if let Some(end) = poll_once(&mut read).await {
                let found = end.unwrap().remove(0).found.map(|found| found.bytes);
                assert_eq!(found, Some(value(number)));
                ended += 1;
                break;
            }
            yield_now().await;
            patience -= 1;
        }
    }
    ended
}

fn value(number: u64) -> Bytes {
    format!("value {number}").into()
}

#[test]
fn bug_g3_answers_to_those_who_left_go_to_nobody_else() {
    let Some(place) = Place::start() else { return };
    for number in 0..KEYS {
        let text = format!("value {number}");
        place.fill(number.to_string().as_bytes(), &text, &["tag"], HOUR);
    }
    let place = &place;
    let executor = smol::LocalExecutor::new();
    let tasks: Vec<_> = (0..TASKS)
        .map(|seed| executor.spawn(reads(place, seed)))
        .collect();
    let ended = block_on(executor.run(async {
        let mut ended = 0;
        for task in tasks {
            ended += task.await;
        }
        ended
    }));
    assert!(ended >= TASKS * READS / 15, "{ended}");
    let left = TASKS * READS - ended;
    assert!(left >= 100_000, "{left} left early");
    // Also those that nobody waits for any more are answered, or were never sent.
    until("the last answer", || {
        (place.wire.health().under_way == 0).then_some(())
    });
    assert_eq!(place.redis.counts().out_of_step, 0);
}
