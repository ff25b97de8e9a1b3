//! Batches and streams of nodes that load at once.

use futures_lite::{StreamExt, stream};
use larder_core::LoadErrorKind;
use larder_engine::Cache;

use super::{LEASE, Nodes};
use crate::many::source::Many;

fn value(key: u64) -> Result<Option<u64>, LoadErrorKind> {
    Ok(Some(key * 1000))
}

#[test]
fn m1_batches_whose_keys_overlap_crosswise_load_each_key_once_and_wait_for_each_other() {
    let nodes = Nodes::new(2);
    let source = Many::held();
    let one = nodes.begin(source.fetch(&nodes.all[0].numbers, &[1, 2]));
    let two = nodes.begin(source.fetch(&nodes.all[1].numbers, &[2, 3]));
    assert!(!one.is_finished() && !two.is_finished());
    source.gate.open();
    nodes.time.run_until_idle();
    assert_eq!(nodes.time.block_on(one), [value(1), value(2)]);
    assert_eq!(nodes.time.block_on(two), [value(2), value(3)]);
    assert_eq!(source.calls(), [vec![1, 2], vec![3]]);
    assert_eq!(nodes.waited(1), (1, 0));
}

#[test]
fn m1_a_batch_loads_itself_what_a_holder_that_died_does_not() {
    let nodes = Nodes::new(1);
    nodes.dies_with_the_lease();
    let source = Many::ready();
    let batch = nodes.begin(source.fetch(&nodes.all[0].numbers, &[1, 2]));
    assert_eq!(source.calls(), [vec![2]], "its own at once");
    nodes.time.advance(LEASE * 2);
    assert_eq!(nodes.time.block_on(batch), [value(1), value(2)]);
    assert_eq!(source.calls(), [vec![2], vec![1]]);
    assert_eq!(nodes.waited(0), (1, 1));
}

#[test]
fn m1_a_single_call_waits_for_a_batch_of_another_node() {
    let nodes = Nodes::new(2);
    let source = Many::held();
    let batch = nodes.begin(source.fetch(&nodes.all[0].numbers, &[1, 2]));
    let call = nodes.call(1);
    assert!(!call.is_finished());
    source.gate.open();
    nodes.time.run_until_idle();
    assert_eq!(nodes.ended(call), (1000, "far"));
    assert_eq!(nodes.source.calls(), 0);
    drop(batch);
}

#[test]
fn m2_the_first_element_of_a_stream_waits_for_no_other_node() {
    let nodes = Nodes::new(2);
    let caches = nodes.all.iter().map(|node| {
        let cache = node.larder.cache("lists").ttl(crate::support::TTL);
        let cache: Cache<u64, Vec<u64>> = cache.far().lease(LEASE).build().unwrap();
        cache
    });
    let caches: Vec<_> = caches.collect();
    let source = || {
        let slow = stream::pending::<Result<u64, std::io::Error>>();
        stream::iter([Ok(1)]).chain(slow)
    };
    for cache in &caches {
        let cache = cache.clone();
        let first = nodes.begin(async move {
            let mut elements = Box::pin(cache.get_or_stream(&1, source));
            elements.next().await.unwrap().unwrap()
        });
        assert!(first.is_finished());
    }
}
