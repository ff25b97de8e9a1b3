//! Coming to rest.

use std::pin::pin;
use std::time::Duration;

use larder_kit::Virtual;

use crate::support::{SECOND, Source, TTL, begin, larder};

#[test]
fn a_shutdown_waits_for_the_loads_that_run_and_not_past_its_deadline() {
    let time = Virtual::new();
    let larder = larder(&time);
    let cache = larder.cache("numbers").ttl(TTL).build().unwrap();
    assert!(time.block_on(larder.shutdown(Duration::ZERO)), "at rest");
    let source = Source::held();
    let mut call = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut call);
    let mut end = pin!(larder.shutdown(SECOND));
    begin(&time, end.as_mut());
    time.advance(SECOND * 2);
    assert!(!time.block_on(end), "the load runs on");
    let mut end = pin!(larder.shutdown(SECOND));
    begin(&time, end.as_mut());
    source.gate.open();
    time.run_until_idle();
    time.advance(SECOND);
    assert!(time.block_on(end));
    assert_eq!(time.block_on(call).unwrap().value, 1);
}
