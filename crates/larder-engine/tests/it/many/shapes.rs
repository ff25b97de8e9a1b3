//! What the load of a batch may return.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Error;
use std::sync::Arc;

use larder_core::LoadErrorKind;
use larder_engine::Pairs;
use larder_kit::Virtual;

use super::source::{Answers, plain};
use crate::support::numbers;

/// What a batch of keys 1 and 2 gives for this.
fn of<R, M>(answer: impl Fn() -> R + Send + Sync + 'static) -> Answers
where
    R: Pairs<u64, u64, M> + Send + 'static,
{
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let load = move |_| {
        let answer = answer();
        async move { answer }
    };
    plain(time.block_on(cache.get_or_load_many(&[1, 2], load)))
}

const BOTH: [Result<Option<u64>, LoadErrorKind>; 2] = [Ok(Some(10)), Ok(Some(20))];
const ONE: [Result<Option<u64>, LoadErrorKind>; 2] = [Ok(Some(10)), Ok(None)];

#[test]
fn pairs_come_in_any_collection() {
    assert_eq!(of(|| vec![(1, 10), (2, 20)]), BOTH);
    assert_eq!(of(|| [(2, 20), (1, 10)]), BOTH);
    assert_eq!(of(|| HashMap::from([(1, 10), (2, 20)])), BOTH);
    assert_eq!(
        of(|| BTreeMap::from([(1, Arc::new(10)), (2, Arc::new(20))])),
        BOTH
    );
    assert_eq!(of(|| (1..3).map(|key| (key, key * 10))), BOTH);
    assert_eq!(of(Vec::<(u64, u64)>::new), [Ok(None), Ok(None)]);
}

#[test]
fn answers_may_say_absence_and_errors_key_by_key() {
    assert_eq!(of(|| [(1, Some(10)), (2, None)]), ONE);
    assert_eq!(of(|| [(1, Some(Arc::new(10)))]), ONE);
    let failed = [Ok(Some(10)), Err(LoadErrorKind::Source)];
    assert_eq!(of(|| [(1, Ok(10)), (2, Err(Error))]), failed);
    assert_eq!(of(|| [(1, Ok(Some(10))), (2, Err(Error))]), failed);
}

#[test]
fn all_of_it_may_fail() {
    assert_eq!(of(|| Ok::<_, Error>([(1, 10), (2, 20)])), BOTH);
    assert_eq!(of(|| Ok::<_, Error>(HashMap::from([(1, Some(10))]))), ONE);
    assert_eq!(
        of(|| Err::<Vec<(u64, u64)>, _>(Error)),
        [Err(LoadErrorKind::Source); 2]
    );
    let mixed = of(|| Ok::<_, Error>([(1, Ok::<_, Error>(10)), (2, Err(Error))]));
    assert_eq!(mixed, [Ok(Some(10)), Err(LoadErrorKind::Source)]);
}
