//! Borrowed, generic and mutable arguments of detached loads.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use larder::{Cache, LoadError, cacheable};
use larder_kit::{Gate, Virtual};

use crate::support::{Calls, Deal, cache, deal};

type Texts = Cache<String, String>;

#[cacheable(cache, key = (text, bytes.len() as u64, deal.no))]
async fn borrows(
    cache: &Cache<(String, u64, u64), String>,
    text: &str,
    bytes: &[u8],
    deal: &Deal,
    path: &Path,
) -> String {
    format!("{text} {} {} {}", bytes.len(), deal.title, path.display())
}

#[test]
fn references_are_borrowed_again_inside_the_load() {
    let time = Virtual::new();
    let cache = cache(&time);
    time.block_on(async {
        let (text, five) = ("a".to_owned(), deal(5));
        let answer = borrows(&cache, &text, &[1, 2], &five, Path::new("/x")).await;
        assert_eq!(answer, "a 2 deal 5 /x");
    });
}

#[cacheable(cache, key = text)]
async fn held(cache: &Texts, text: &str, gate: &Gate, calls: &Calls) -> Result<String, LoadError> {
    calls.enter();
    gate.wait().await;
    Ok(text.to_uppercase())
}

#[test]
fn a_load_outlives_its_caller_and_what_that_lent() {
    let time = Virtual::new();
    let (cache, calls, gate) = (cache(&time), Calls::default(), Gate::closed());
    {
        let text = "a".to_owned();
        let call = held(&cache, &text, &gate, &calls);
        time.block_on(async {
            let waiting = futures_lite::future::poll_once(call).await;
            assert!(waiting.is_none());
        });
    }
    gate.open();
    time.run_until_idle();
    time.block_on(async {
        assert_eq!(
            held(&cache, "a", &gate, &calls).await.ok().as_deref(),
            Some("A")
        );
    });
    assert_eq!(calls.count(), 1);
}

#[cacheable(cache, key = text)]
async fn generic<T, const N: usize>(cache: &Texts, text: &str, value: T, list: [u8; N]) -> String
where
    T: Display + Send + Sync + 'static,
{
    format!("{text}{value}{}", list.len())
}

#[cacheable(cache, key = text)]
async fn by_impl(cache: &Texts, text: &str, value: impl Display + Send + Sync + 'static) -> String {
    format!("{text}{value}")
}

#[cacheable(cache, key = text)]
async fn by_ref_impl<'a>(
    cache: &'a Texts,
    text: &'a str,
    value: &'a (impl Display + Clone + Send + Sync + 'static),
) -> String {
    format!("{text}{value}")
}

#[test]
fn generic_functions_share_a_named_cache() {
    let time = Virtual::new();
    let cache = cache(&time);
    time.block_on(async {
        assert_eq!(generic(&cache, "a", 1, [0; 3]).await, "a13");
        assert_eq!(
            generic(&cache, "a", "other", [0; 1]).await,
            "a13",
            "the key decides"
        );
        assert_eq!(by_impl(&cache, "b", 2.5).await, "b2.5");
        assert_eq!(by_ref_impl(&cache, "c", &'x').await, "cx");
    });
}

#[cacheable(cache, key = no)]
async fn mutable(cache: &Cache<u64, Vec<u64>>, mut no: u64, mut list: Vec<u64>) -> Vec<u64> {
    no += 1;
    list.push(no);
    list
}

#[cacheable(cache, key = text)]
async fn mutable_reference(cache: &Texts, mut text: &str) -> String {
    if let Some(rest) = text.strip_prefix("x") {
        text = rest;
    }
    text.to_owned()
}

#[test]
fn mutable_arguments_are_mutable_in_the_body_alone() {
    let time = Virtual::new();
    let (lists, texts) = (cache(&time), cache(&time));
    time.block_on(async {
        assert_eq!(mutable(&lists, 1, vec![7]).await, [7, 2]);
        assert!(
            lists.get(&1).await.value().is_some(),
            "the key is made before the body"
        );
        assert_eq!(mutable_reference(&texts, "xy").await, "y");
    });
}

/// Not `Clone`: a function that does not use it in its body needs no owned form of it.
struct Source;

#[cacheable(cache, key = no)]
async fn unused(cache: &Cache<u64, u64>, no: u64, _source: &Source, _note: Option<&str>) -> u64 {
    no
}

#[test]
fn what_the_body_does_not_name_is_not_taken_along() {
    let time = Virtual::new();
    let cache = cache(&time);
    time.block_on(async {
        assert_eq!(unused(&cache, 1, &Source, Some("note")).await, 1);
    });
}

#[cacheable(cache, key = name)]
async fn statics(cache: &Texts, name: &'static str, list: Option<&'static [u8]>) -> String {
    format!("{name} {}", list.unwrap_or_default().len())
}

#[cacheable(cache, key = text)]
async fn shares(cache: &Texts, text: Arc<str>, list: &Arc<Vec<u8>>) -> String {
    format!("{text} {}", list.len())
}

#[test]
fn static_and_shared_arguments_move() {
    let time = Virtual::new();
    let cache = cache(&time);
    time.block_on(async {
        assert_eq!(statics(&cache, "a", Some(&[1])).await, "a 1");
        assert_eq!(
            shares(&cache, "b".into(), &Arc::new(vec![1, 2])).await,
            "b 2"
        );
    });
}

macro_rules! generated {
    ($name:ident, $argument:ident: $borrow:ty, $answer:ty, $key:expr, $ttl:literal) => {
        #[cacheable(key = $key, ttl = $ttl)]
        async fn $name($argument: $borrow) -> $answer {
            Some($argument.len())
        }
    };
}

generated!(lengths, list: &[u8], Option<usize>, list, "5m");
generated!(texts, text: &str, Option<usize>, (text), "5m");

#[test]
fn a_macro_may_write_the_function() {
    smol::block_on(async {
        assert_eq!(lengths(&[1, 2]).await, Some(2));
        assert!(lengths::cache().get(&[1, 2][..]).await.value().is_some());
        assert_eq!(texts("abc").await, Some(3));
        assert!(texts::cache().get("abc").await.value().is_some());
    });
}
