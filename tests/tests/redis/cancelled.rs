//! Requests whose callers have left.

use bytes::Bytes;
use larder_core::far::{Guarded, Want};
use larder_servers::until;
use smol::block_on;
use smol::future::{poll_once, yield_now};

use crate::place::{HOUR, Place, deals};

const KEYS: u64 = 50;
const TASKS: u64 = 20;
/// A hundred thousand leave calls of a cache: see `left`.
const LEFT: u64 = 1_000;

/// Reads until so many were left, each after one to three polls, and says how many came to their end.
async fn reads(place: &Place, seed: u64) -> u64 {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut left, mut ended) = (0, 0);
    while left < LEFT {
        let number = random.u64(0..KEYS);
        let key = number.to_string();
        let (deals, keys) = (deals(), [key.as_bytes()]);
        let mut read = place.redis.read(&deals, &keys, &["tag"], Want::Look);
        let stays = random.u8(0..10) == 0;
        let patience = if stays { u64::MAX } else { random.u64(1..4) };
        let mut end = None;
        for _ in 0..patience {
            end = poll_once(&mut read).await;
            if end.is_some() {
                break;
            }
            yield_now().await;
        }
        match end {
            Some(end) => {
                let found = end.unwrap().remove(0).found.map(|found| found.bytes);
                assert_eq!(found, Some(value(number)));
                ended += 1;
            }
            None => left += 1,
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
    assert!(ended >= TASKS * LEFT / 15, "{ended}");
    // Also those that nobody waits for any more are answered, or were never sent.
    until("the last answer", || {
        (place.wire.health().under_way == 0).then_some(())
    });
    assert_eq!(place.redis.counts().out_of_step, 0);
}
