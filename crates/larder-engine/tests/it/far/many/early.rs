//! What a batch knows of some keys before it knows all.

use larder_engine::CacheBuilder;
use larder_kit::{FarOperation, Fault};

use crate::far::faults::DEADLINE;
use crate::far::rig::Pair;
use crate::many::source::{Many, held};
use crate::support::SECOND;

#[test]
fn m1_what_the_far_tier_answers_waits_for_no_load_of_other_keys() {
    let pair = Pair::of(CacheBuilder::far);
    let (one, two) = (&pair.one.numbers, &pair.two.numbers);
    let time = &pair.time;
    time.block_on(Many::ready().fetch(two, &[2, 900]));
    let source = Many::held();
    let batch = time.spawn(source.fetch(one, &[1, 2, 900]));
    let others = time.spawn(source.fetch(one, &[2, 900]));
    let alone = time.spawn(source.single(one, 2));
    time.run_until_idle();
    assert!(others.is_finished() && alone.is_finished());
    assert_eq!(time.block_on(others), [Ok(Some(2000)), Ok(None)]);
    assert_eq!(time.block_on(alone).unwrap(), 2000);
    assert_eq!(time.block_on(held(one, &[1, 2])), [None, Some(2000)]);
    assert_eq!((one.stats().running, batch.is_finished()), (1, false));
    source.gate.open();
    let found = [Ok(Some(1000)), Ok(Some(2000)), Ok(None)];
    assert_eq!(
        (time.block_on(batch), source.calls()),
        (found.to_vec(), vec![vec![1]])
    );
}

/// As long as the far tier's part of a batch waited for the source's, the simulator found this in one
/// of 46,000 runs (profile `blind`, seed 1046000).
#[test]
fn t3_who_joins_a_batch_gets_no_far_answer_whose_time_was_over() {
    let pair = Pair::of(|cache| cache.far().ttl(SECOND * 5));
    let (one, two) = (&pair.one.numbers, &pair.two.numbers);
    let time = &pair.time;
    time.block_on(Many::ready().fetch(two, &[2]));
    let source = Many::held();
    let batch = time.spawn(source.fetch(one, &[1, 2]));
    time.run_until_idle();
    assert_eq!(source.calls(), [[1]]);
    time.advance(SECOND * 6);
    source.change();
    let [single, many] = [2, 3].map(|other| time.spawn(source.fetch(one, &[2, other])));
    let alone = time.spawn(source.single(one, 2));
    time.run_until_idle();
    source.gate.open();
    assert_eq!(time.block_on(batch)[1], Ok(Some(2000)), "it was in time");
    assert_eq!(time.block_on(alone).unwrap(), 2001);
    assert_eq!(time.block_on(single), [Ok(Some(2001)); 2]);
    assert_eq!(time.block_on(many), [Ok(Some(2001)), Ok(Some(3001))]);
}

/// A value's time counts from the end of its function, and its load goes on while it is stored.
#[test]
fn t3_who_joins_a_load_while_it_is_stored_gets_nothing_whose_time_was_over() {
    for batch in [false, true] {
        let pair = Pair::of(|cache| cache.far().ttl(DEADLINE / 4));
        let (one, time, source) = (&pair.one, &pair.time, Many::ready());
        let gate = one.slow.hold_before(FarOperation::StoreIf);
        // Else the far tier would have it from then on.
        one.failing.fail(FarOperation::StoreIf, Fault::Lost, 1);
        let first = time.spawn(source.single(&one.numbers, 2));
        time.run_until_idle();
        assert_eq!(gate.waiting(), 1);
        time.advance(DEADLINE / 2);
        source.change();
        let late = match batch {
            true => time.spawn(source.fetch(&one.numbers, &[2])),
            false => {
                let late = source.single(&one.numbers, 2);
                time.spawn(async move { vec![late.await.map(Some).map_err(|error| error.kind())] })
            }
        };
        time.run_until_idle();
        gate.open();
        assert_eq!(time.block_on(first).unwrap(), 2000, "it was in time");
        assert_eq!(time.block_on(late), [Ok(Some(2001))]);
    }
}
