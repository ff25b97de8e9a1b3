//! Batches of caches that are switched off in part.

use larder_engine::Mode;
use larder_kit::Virtual;

use super::source::{Many, held};
use crate::support::numbers;

#[test]
fn an_off_cache_runs_the_function_for_all_keys_and_keeps_nothing() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Many::ready());
    time.block_on(cache.put(&1, 1));
    cache.switch(Mode::Off);
    let found = time.block_on(source.fetch(&cache, &[1, 2, 1, 900]));
    assert_eq!(
        found,
        [Ok(Some(1000)), Ok(Some(2000)), Ok(Some(1000)), Ok(None)]
    );
    assert_eq!(source.calls(), [[1, 2, 900]]);
    assert_eq!(time.block_on(held(&cache, &[1, 2])), [None, None]);
    cache.switch(Mode::On);
    assert_eq!(time.block_on(held(&cache, &[1, 2])), [Some(1), None]);
}

#[test]
fn a_read_only_cache_is_looked_at_and_keeps_nothing() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Many::ready());
    time.block_on(cache.put(&1, 1));
    cache.switch(Mode::ReadOnly);
    let found = time.block_on(source.fetch(&cache, &[1, 2]));
    assert_eq!(found, [Ok(Some(1)), Ok(Some(2000))]);
    assert_eq!(time.block_on(held(&cache, &[1, 2])), [Some(1), None]);
}

#[test]
fn a_write_only_batch_takes_nothing_that_began_before_it() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Many::held());
    let single = time.spawn(source.single(&cache, 1));
    time.run_until_idle();
    source.change();
    cache.switch(Mode::WriteOnly);
    time.block_on(cache.put(&2, 2));
    let batch = time.spawn(source.fetch(&cache, &[1, 2]));
    time.run_until_idle();
    source.gate.open();
    assert_eq!(time.block_on(single).unwrap(), 1000);
    assert_eq!(time.block_on(batch), [Ok(Some(1001)), Ok(Some(2001))]);
    cache.switch(Mode::On);
    assert_eq!(
        time.block_on(held(&cache, &[1, 2])),
        [Some(1001), Some(2001)]
    );
}
