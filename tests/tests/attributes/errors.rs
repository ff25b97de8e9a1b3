//! How callers that share a load share its error.

use std::fmt;
use std::sync::Arc;

use futures_lite::future::zip;
use larder::{Cache, LoadError, LoadErrorKind, cacheable};
use larder_kit::{Gate, Virtual};

use crate::support::{Calls, cache};

type Numbers = Cache<u64, u64>;

#[derive(Debug, Clone, thiserror::Error)]
enum Own {
    #[error("no deal {0}")]
    Unknown(u64),
    #[error(transparent)]
    Cache(#[from] LoadError),
}

#[cacheable(cache, key = no)]
async fn cloned(cache: &Numbers, no: u64, gate: Gate, calls: &Calls) -> Result<u64, Own> {
    calls.enter();
    gate.wait().await;
    Err(Own::Unknown(no))
}

#[test]
fn sp18_a_clone_error_reaches_every_waiter_as_it_is_and_nothing_is_stored() {
    let time = Virtual::new();
    let (cache, calls, gate) = (cache(&time), Calls::default(), Gate::closed());
    let call = || cloned(&cache, 5, gate.clone(), &calls);
    time.block_on(async {
        let open = async {
            gate.arrived(1).await;
            gate.open();
        };
        let ((one, two), ()) = zip(zip(call(), call()), open).await;
        for answer in [one, two] {
            assert!(matches!(answer, Err(Own::Unknown(5))));
        }
        assert_eq!(calls.count(), 1);
        assert!(call().await.is_err());
        assert_eq!(calls.count(), 2, "an error is not stored");
    });
}

#[cacheable(cache, key = no)]
async fn by_anyhow(cache: &Numbers, no: u64) -> anyhow::Result<u64> {
    let parsed: u64 = "x".parse()?;
    anyhow::ensure!(no > parsed, "too small");
    Ok(no)
}

#[cacheable(cache, key = no)]
async fn by_box(cache: &Numbers, no: u64) -> Result<u64, Box<dyn std::error::Error + Send + Sync>> {
    Err(format!("no {no}").into())
}

#[test]
fn anyhow_and_boxed_errors_need_nothing_and_keep_their_text() {
    let time = Virtual::new();
    let cache = cache(&time);
    time.block_on(async {
        let error = by_anyhow(&cache, 5).await.expect_err("x is no number");
        assert_eq!(error.to_string(), "invalid digit found in string");
        let load: &LoadError = error.downcast_ref().expect("it is wrapped");
        let original: &anyhow::Error = load.downcast_ref().expect("the original is inside");
        assert!(original.downcast_ref::<std::num::ParseIntError>().is_some());
        let error = by_box(&cache, 5).await.expect_err("it fails");
        assert_eq!(error.to_string(), "no 5");
    });
}

/// Not `Clone`.
#[derive(Debug, thiserror::Error)]
enum Sql {
    #[error("disk: {0}")]
    Disk(std::io::Error),
    #[error(transparent)]
    Cache(#[from] LoadError),
}

#[cacheable(cache, key = no)]
async fn not_clone(cache: &Numbers, no: u64) -> Result<u64, Sql> {
    Err(Sql::Disk(std::io::Error::other(format!("block {no}"))))
}

#[test]
fn an_error_without_clone_is_wrapped_even_for_a_lone_caller() {
    let time = Virtual::new();
    let cache = cache(&time);
    time.block_on(async {
        let Err(Sql::Cache(error)) = not_clone(&cache, 5).await else {
            panic!("it is wrapped");
        };
        assert_eq!(
            (error.kind(), error.to_string()),
            (LoadErrorKind::Source, "disk: block 5".into())
        );
        assert!(matches!(error.downcast_ref(), Some(Sql::Disk(_))));
    });
}

/// Of a crate that knows no larder.
#[derive(Debug, Clone, PartialEq)]
enum Foreign {
    Unknown(u64),
    Unavailable(String),
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

#[cacheable(cache, key = no, deadline = "2s", map_error = |error| Foreign::Unavailable(error.to_string()))]
async fn mapped(cache: &Numbers, no: u64, gate: &Gate) -> Result<u64, Foreign> {
    gate.wait().await;
    assert!(no < 100, "over a hundred");
    Err(Foreign::Unknown(no))
}

#[test]
fn a_foreign_error_keeps_its_own_variants_and_maps_the_caches() {
    let time = Virtual::auto();
    let cache = cache(&time);
    let (open, closed) = (Gate::opened(), Gate::closed());
    time.block_on(async {
        assert_eq!(mapped(&cache, 5, &open).await, Err(Foreign::Unknown(5)));
        let text = match mapped(&cache, 100, &open).await {
            Err(Foreign::Unavailable(text)) => text,
            other => panic!("{other:?}"),
        };
        assert!(text.contains("over a hundred"), "{text}");
        assert!(matches!(
            mapped(&cache, 6, &closed).await,
            Err(Foreign::Unavailable(_))
        ));
    });
}

#[derive(Debug)]
struct Opaque(Arc<str>);

impl fmt::Display for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cacheable(cache, key = no, map_error = |error| Opaque(error.to_string().into()))]
async fn mapped_whole(cache: &Numbers, no: u64) -> Result<u64, Opaque> {
    Err(Opaque(no.to_string().into()))
}

#[test]
fn a_foreign_error_without_clone_is_mapped_whole() {
    let time = Virtual::new();
    let cache = cache(&time);
    let error = time
        .block_on(mapped_whole(&cache, 5))
        .expect_err("it fails");
    assert_eq!(error.to_string(), "5");
}

#[cacheable(cache, key = text, map_error = |error| Opaque(format!("{text}: {error}").into()))]
async fn mapped_with_arguments(cache: &Cache<String, u64>, text: &str) -> Result<u64, Opaque> {
    Err(Opaque(format!("no {text}").into()))
}

#[test]
fn a_mapping_sees_the_arguments() {
    let time = Virtual::new();
    let cache = cache(&time);
    let error = time
        .block_on(mapped_with_arguments(&cache, "a"))
        .expect_err("it fails");
    assert_eq!(error.to_string(), "a: no a");
}

#[cacheable(cache, key = no)]
async fn generic<E>(cache: &Numbers, no: u64, error: E) -> Result<u64, E>
where
    E: From<LoadError> + Clone + fmt::Display + Send + Sync + 'static,
{
    cache.put(&(no + 1), no).await;
    Err(error)
}

#[test]
fn an_error_may_be_a_type_parameter() {
    let time = Virtual::new();
    let cache = cache(&time);
    let answer = time.block_on(generic(&cache, 5, Own::Unknown(7)));
    assert!(matches!(answer, Err(Own::Unknown(7))));
}

#[cacheable(cache, key = no)]
async fn infallible(cache: &Numbers, no: u64) -> u64 {
    assert!(no < 100, "over a hundred");
    no
}

#[test]
#[should_panic(expected = "the load panicked: over a hundred")]
fn a_function_without_a_result_panics_as_its_load_did() {
    let time = Virtual::new();
    let cache = cache(&time);
    time.block_on(infallible(&cache, 100));
}

/// The error types differ, the flight is one.
#[cacheable(cache, key = no)]
async fn other_error(cache: &Numbers, no: u64, gate: Gate, calls: &Calls) -> anyhow::Result<u64> {
    calls.enter();
    gate.wait().await;
    Ok(no)
}

#[test]
fn functions_with_different_errors_join_one_flight() {
    let time = Virtual::new();
    let (cache, calls, gate) = (cache(&time), Calls::default(), Gate::closed());
    time.block_on(async {
        let open = async {
            gate.arrived(1).await;
            gate.open();
        };
        let first = cloned(&cache, 5, gate.clone(), &calls);
        let second = other_error(&cache, 5, gate.clone(), &calls);
        let ((first, second), ()) = zip(zip(first, second), open).await;
        assert!(matches!(first, Err(Own::Unknown(5))));
        let second = second.expect_err("the first one's error");
        assert_eq!(second.to_string(), "no deal 5");
        assert_eq!(calls.count(), 1);
    });
}
