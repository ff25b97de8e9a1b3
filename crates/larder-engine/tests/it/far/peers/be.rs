//! What bentocache's suite checks beside the rest.

use larder_engine::{Cache, CacheBuilder, Change as Done, Outcome, What};
use larder_kit::{FarOperation, Fault, Step, Virtual};

use crate::far::rig::{Pair, TAG};
use crate::far::stale::node::Two;
use crate::far::support::{beat, larder, shelf};
use crate::support::{SECOND, TTL};

/// The refresh is stuck wherever it may be; the old value is given at once all the same.
#[test]
fn be_the_old_value_is_given_at_once_whatever_the_refresh_waits_for() {
    for far in [CacheBuilder::far, CacheBuilder::far_only] {
        let nodes = Two::aged(far);
        nodes.one.loader.then(Step::never());
        let before = nodes.time.now();
        for _ in 0..3 {
            assert_eq!(nodes.one.said(), ("stale-refresh", "old".to_owned()));
        }
        assert_eq!(nodes.time.now(), before, "no time passes");
    }
    for stuck in [FarOperation::Read, FarOperation::StoreIf] {
        let nodes = Two::aged(CacheBuilder::far);
        nodes.one.loader.then(Step::value("new"));
        let gate = nodes.one.slow.hold_before(stuck);
        let before = nodes.time.now();
        for _ in 0..3 {
            let (said, _) = nodes.one.said();
            assert!(
                said == "stale-refresh" || said == "near",
                "{stuck:?}: {said}"
            );
        }
        assert_eq!(nodes.time.now(), before, "{stuck:?}");
        gate.open();
        nodes.one.slow.hurry();
        nodes.time.run_until_idle();
        assert_eq!(nodes.one.said().1, "new", "{stuck:?}");
    }
}

#[test]
fn be_an_answers_event_says_its_tier_and_whether_it_is_old() {
    let nodes = Two::of(CacheBuilder::far);
    let larder = larder(&nodes.time, &nodes.shelf);
    let texts = larder
        .cache::<u64, String>("texts")
        .ttl(TTL)
        .stale(TTL)
        .far();
    let (texts, events) = (texts.build().unwrap(), larder.events(100));
    beat(&nodes.time);
    let told = || {
        let what = std::iter::from_fn(|| events.try_next()).map(|event| event.what);
        let answers = what.filter_map(|what| match what {
            What::Answered(Outcome::Stale { .. }) => Some("old"),
            What::Answered(outcome) => Some(outcome.detail()),
            _ => None,
        });
        answers.collect::<Vec<_>>()
    };
    nodes.one.loader.then(Step::value("v"));
    nodes.one.said();
    nodes.time.block_on(texts.get(&1));
    nodes.time.block_on(texts.get(&1));
    assert_eq!(told(), ["far", "near"]);
    nodes.time.block_on(texts.expire(&1));
    let fails = || async { Err::<String, _>(std::io::Error::other("down")) };
    let old = nodes.time.block_on(texts.get_or_load(&1, fails));
    assert_eq!((old.unwrap().as_str(), told()), ("v", vec!["old"]));
}

/// What could not be told is told later, all of it, each thing once, in the order of the changes
/// that matter to each other; over its bound it is one clear.
#[test]
fn be_fc68_what_waits_for_the_store_is_bounded_and_told_once() {
    let pair = Pair::of(|cache| cache.far().queue(3));
    for keys in [3_u64, 10] {
        for key in 1..=keys {
            let put = pair.two.numbers.put(&key, 0);
            assert_eq!(pair.time.block_on(put), Done::Done);
        }
        beat(&pair.time);
        pair.one.failing.die(Fault::NotSent);
        for key in 1..=keys {
            let done = pair.time.block_on(pair.one.numbers.invalidate(&key));
            assert_eq!(done, Done::Queued);
        }
        assert!(pair.pending() <= 3, "{} wait", pair.pending());
        pair.one.failing.heal();
        let dropped = pair.one.failing.calls(FarOperation::DropBarrier);
        pair.time.advance(SECOND * 5);
        let clears = pair.one.failing.calls(FarOperation::DropBarrier) - dropped;
        assert_eq!((pair.pending(), clears), (0, usize::from(keys > 3)));
        for key in 1..=keys {
            for node in [&pair.one, &pair.two] {
                let held = pair.time.block_on(node.numbers.get(&key)).value();
                assert_eq!(held, None, "{key} of {keys}");
            }
        }
    }
}

#[test]
fn be_keys_and_tags_of_any_script_pass_the_bus() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let node = || {
        let larder = larder(&time, &shelf);
        let cache = larder.cache("имена-名前-🍓").ttl(TTL).far();
        let cache: Cache<String, u64> = cache.build().unwrap();
        (larder, cache)
    };
    let ((_one, one), (_two, two)) = (node(), node());
    beat(&time);
    for text in ["ключ", "鍵", "مفتاح", "🍓🔑", "e\u{301}", "\u{0}\r\n"] {
        let tagged = move || async move { larder_engine::Loaded::new(7_u64).tag(text) };
        for by_tag in [false, true] {
            time.block_on(async {
                one.get_or_load(text, tagged).await.unwrap();
                assert_eq!(two.get(text).await.value().as_deref(), Some(&7));
                let done = if by_tag {
                    one.invalidate_tag(text).await
                } else {
                    one.invalidate(text).await
                };
                assert_eq!(done, Done::Done);
            });
            let held = time.block_on(two.get(text));
            assert_eq!(held.value(), None, "{text:?}, by its tag {by_tag}");
        }
    }
    let pair = Pair::new();
    pair.fetch();
    pair.time.block_on(pair.two.numbers.invalidate_tag("🍓"));
    assert_eq!(pair.held(), Some(1), "another tag");
    pair.time.block_on(pair.two.numbers.invalidate_tag(TAG));
    assert_eq!(pair.held(), None);
}
