//! Functions that return streams.

use std::sync::Arc;

use futures_lite::{Stream, StreamExt, stream};
use larder::{Cache, LoadError, LoadErrorKind, cacheable, observe};
use larder_kit::{Gate, Virtual};

use crate::support::{Calls, cache};

type Lists = Cache<String, Vec<Arc<u64>>>;

/// The error of the functions here.
#[derive(Debug, Clone, PartialEq)]
enum Broken {
    Line,
    Cache(LoadErrorKind),
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

impl From<LoadError> for Broken {
    fn from(error: LoadError) -> Self {
        Self::Cache(error.kind())
    }
}

/// Gives the length of each word, and borrows all the while from its argument.
#[cacheable(cache, key = text, load = cancel)]
fn lengths(
    cache: &Lists,
    text: &str,
    calls: &Calls,
    gate: &Gate,
) -> impl Stream<Item = Result<Arc<u64>, Broken>> + Send + 'static + use<> {
    calls.enter();
    stream::iter(text.split(' ')).then(move |word| async move {
        gate.wait().await;
        match word {
            "no" => Err(Broken::Line),
            word => Ok(Arc::new(word.len() as u64)),
        }
    })
}

/// The whole of it, made static.
#[cacheable(ttl = "5m", name = "attributes::streams::upto")]
fn upto(most: u64) -> impl Stream<Item = Result<u64, LoadError>> + Send + 'static {
    stream::iter(0..most).map(Ok)
}

#[cacheable(cache, key = no, condition = no > 0, deadline = "1s", tags = [format!("of:{no}")])]
fn conditional(
    cache: &Cache<u64, Vec<u64>>,
    no: u64,
    calls: &Calls,
) -> impl Stream<Item = Result<u64, LoadError>> + Send + use<> {
    calls.enter();
    stream::iter([Ok(no)])
}

fn all<T, E>(time: &Virtual, items: impl Stream<Item = Result<T, E>>) -> Vec<Result<T, E>> {
    let items = time.block_on(items.collect());
    time.run_until_idle();
    items
}

#[test]
fn m2_a_function_that_returns_a_stream_is_run_once_and_borrows_what_it_needs() {
    let time = Virtual::new();
    let (lists, calls, gate): (Lists, _, _) = (cache(&time), Calls::default(), Gate::opened());
    let call = |text: &str| all(&time, lengths(&lists, text, &calls, &gate));
    let expected = [3, 4, 1].map(|length| Ok(Arc::new(length)));
    drop(lengths(&lists, "and then I", &calls, &gate));
    assert_eq!(calls.count(), 0, "nothing happens before the first poll");
    for _ in 0..3 {
        assert_eq!(call("and then I"), expected);
    }
    assert_eq!(calls.count(), 1);
    let held = time.block_on(lists.get("and then I")).value();
    assert_eq!(held.map(|held| held.len()), Some(3));
}

#[test]
fn each_who_follows_is_given_the_functions_own_error() {
    let time = Virtual::new();
    let (lists, calls, gate): (Lists, _, _) = (cache(&time), Calls::default(), Gate::closed());
    let call = || {
        let items = lengths(&lists, "yes no more", &calls, &gate);
        time.spawn(items.collect::<Vec<_>>())
    };
    let (one, two) = (call(), call());
    time.run_until_idle();
    gate.open();
    let expected = [Ok(Arc::new(3)), Err(Broken::Line)];
    assert_eq!(time.block_on(one), expected);
    assert_eq!(time.block_on(two), expected);
    assert_eq!(calls.count(), 1);
    assert_eq!(
        all(&time, lengths(&lists, "no", &calls, &gate)),
        [Err(Broken::Line)]
    );
}

#[test]
fn a_source_ends_with_the_last_who_reads_if_the_attribute_says_so() {
    let time = Virtual::new();
    let (lists, calls, gate): (Lists, _, _) = (cache(&time), Calls::default(), Gate::closed());
    let mut items = Box::pin(lengths(&lists, "a b", &calls, &gate));
    let first = time.block_on(futures_lite::future::poll_once(items.next()));
    assert!(first.is_none());
    time.run_until_idle();
    assert_eq!(gate.waiting(), 1);
    drop(items);
    time.run_until_idle();
    assert_eq!((gate.waiting(), lists.stats().running), (0, 0));
}

#[test]
fn without_a_cache_one_is_made_that_holds_a_vec_of_the_elements() {
    let items = smol::block_on(upto(3).map(Result::unwrap).collect::<Vec<_>>());
    assert_eq!(items, [0, 1, 2]);
    let made: &Cache<u64, Vec<u64>> = upto::cache();
    assert_eq!(made.name(), "attributes::streams::upto");
    let (count, why) = smol::block_on(observe(upto(3).count()));
    assert_eq!((count, why.len()), (3, 1));
    assert_ne!(why[0].outcome().detail(), "streamed");
}

#[test]
fn options_over_the_arguments_hold_for_streams() {
    let time = Virtual::new();
    let (numbers, calls): (Cache<u64, Vec<u64>>, _) = (cache(&time), Calls::default());
    let call = |no| {
        let items = all(&time, conditional(&numbers, no, &calls));
        assert_eq!(items.len(), 1);
        calls.count()
    };
    assert_eq!([call(0), call(0)], [1, 2], "as if there were no attribute");
    assert_eq!([call(7), call(7)], [3, 3]);
    time.block_on(numbers.invalidate_tag("of:7"));
    assert_eq!(call(7), 4);
}

#[cacheable(cache, key = no, condition = no > 0)]
fn spills(
    cache: &Cache<u64, Vec<u64>>,
    no: u64,
) -> impl Stream<Item = Result<u64, LoadError>> + Send + use<> {
    stream::iter([Some(no), None]).map(|item| Ok(item.expect("spilt")))
}

#[test]
fn a_panic_is_an_error_in_and_past_the_cache_and_a_panic_where_the_attribute_is_not_there() {
    let time = Virtual::new();
    let cache = cache(&time);
    let kinds = |items: Vec<Result<u64, LoadError>>| -> Vec<Result<u64, LoadErrorKind>> {
        let kind = |item: Result<u64, LoadError>| item.map_err(|error| error.kind());
        items.into_iter().map(kind).collect()
    };
    let expected = [Ok(1), Err(LoadErrorKind::Panicked)];
    assert_eq!(kinds(all(&time, spills(&cache, 1))), expected);
    let past = larder::bypass(spills(&cache, 1).collect::<Vec<_>>());
    assert_eq!(kinds(time.block_on(past)), expected);
    let bare = || all(&time, spills(&cache, 0));
    let bare = std::panic::catch_unwind(std::panic::AssertUnwindSafe(bare));
    assert!(bare.is_err());
}
