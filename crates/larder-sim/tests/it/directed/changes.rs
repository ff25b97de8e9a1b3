//! Changes that get no answer, or whose callers leave.

use std::time::Duration;

use bytes::Bytes;
use larder_engine::Change;
use larder_redis::{Call, Request};
use larder_sim::network::{Stage, called};

use crate::directed::rig::Tags;
use crate::directed::scenario;

/// A look at the barrier of a tag.
fn asks_for_a_tag(request: &Request) -> bool {
    let Call::Command { name: "MGET", args } = request.call() else {
        return false;
    };
    let is_tag = |name: &Bytes| name.windows(5).any(|part| part == b":tag:");
    args.iter().any(is_tag)
}

const TOLD: Tags = Tags(&[], &["fruit"]);

scenario!(
    /// V4: a far answer is under way while the queue is drained. The fence has gone by the time it is
    /// decoded, so it is compared with its ticket, and the drain raises.
    v4_a_far_answer_under_way_at_the_drain_is_not_believed,
    on [single, cluster],
    for [RaiseAtDrain, DecodeCheck],
    |world| {
        let (one, two) = (world.node(), world.node());
        two.fetch(1, TOLD);
        world.source.change();
        one.link.lose(Stage::There, called("remove"));
        let again = one.link.hold(Stage::There, called("remove"));
        let tag = one.cache.clone();
        let change = one.begin(async move { tag.invalidate_tag("fruit").await });
        world.pass(Duration::from_millis(250));
        assert_eq!(world.time.block_on(change), Change::Queued);
        for _ in 0..1_000 {
            if again.waiting() == 0 {
                world.pass(Duration::from_millis(5));
            }
        }
        assert_eq!((again.waiting(), one.pending()), (1, 1));
        // Its second trip, for the tag that only the value tells, is answered after the drain.
        let answer = one.link.hold(Stage::Back, asks_for_a_tag);
        let call = one.call(1, TOLD);
        assert_eq!(answer.waiting(), 1);
        again.open();
        world.settle();
        assert_eq!(one.pending(), 0);
        answer.open();
        world.settle();
        assert_eq!(world.time.block_on(call), 2);
    }
);

scenario!(
    /// V11: the caller leaves after the far write; the third step comes all the same.
    v11_a_change_runs_to_its_end_though_its_caller_leaves,
    on [single],
    for [RunsToItsEnd, SecondRaise],
    |world| {
        let (one, two) = (world.node(), world.node());
        two.get(1);
        one.get(1);
        world.source.change();
        let starts = one.link.hold(Stage::There, called("remove"));
        let cache = one.cache.clone();
        let change = one.begin(async move { cache.invalidate(&1).await });
        assert_eq!(starts.waiting(), 1);
        assert_eq!(one.get(1), 1, "the far value once more: it is not over yet");
        change.cancel();
        starts.open();
        world.settle();
        assert_eq!(one.get(1), 2);
    }
);

scenario!(
    /// An answer that is lost leaves it unknown whether the change happened: far is not believed.
    a_lost_answer_is_no_acknowledgement,
    on [single, cluster],
    for [Fence],
    |world| {
        let (one, two) = (world.node(), world.node());
        two.get(1);
        world.source.change();
        one.link.lose(Stage::There, called("remove"));
        one.link.lose(Stage::There, called("UNLINK"));
        let cache = one.cache.clone();
        let change = one.begin(async move { cache.invalidate(&1).await });
        world.pass(Duration::from_millis(250));
        assert_eq!(world.time.block_on(change), Change::Queued);
        assert_eq!(one.get(1), 2);
    }
);

scenario!(
    /// What is expired serves as a fallback and as nothing else.
    what_was_expired_is_loaded_anew,
    on [single, cluster],
    for [ExpireMarks],
    |world| {
        let (one, two) = (world.node(), world.node());
        two.get(1);
        world.source.change();
        let _ = world.change(one.cache.expire(&1));
        assert_eq!(world.node().get(1), 2);
    }
);
