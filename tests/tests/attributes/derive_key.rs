//! Keys of one's own types.

use std::fmt::Debug;

use larder::{Cache, Key, cacheable};
use larder_kit::Virtual;

use crate::support::{Calls, cache};

#[derive(Debug, Clone, PartialEq, Eq, Hash, Key)]
struct Unit;

#[derive(Debug, Clone, PartialEq, Eq, Hash, Key)]
struct Empty {}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Key)]
struct No(u64);

#[derive(Debug, Clone, PartialEq, Eq, Hash, Key)]
struct Pair(String, Option<No>);

#[derive(Debug, Clone, PartialEq, Eq, Hash, Key)]
struct Named {
    r#type: String,
    out: Vec<u8>,
    text: Unit,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Key)]
enum Place {
    Anywhere,
    Region(String),
    Shop { r#in: String, no: No },
    r#Async(),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Key)]
struct Page<T, const N: usize>
where
    T: Debug,
{
    of: T,
    sizes: [u8; N],
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Key)]
enum Either<A, B> {
    Left(A),
    Right(B),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Key)]
enum Never {}

fn reads_back<K: Key + Debug>(key: &K, text: &str) {
    assert_eq!(key.text(), text);
    assert_eq!(K::parse(text).as_ref(), Ok(key));
}

#[test]
fn a_derived_key_has_the_text_of_its_fields() {
    reads_back(&Unit, "''");
    reads_back(&Empty {}, "''");
    reads_back(&No(7), "7");
    reads_back(&Pair("a,b".into(), None), "a%2Cb,~");
    reads_back(&Pair(String::new(), Some(No(0))), "'',0");
    let named = Named {
        r#type: "x".into(),
        out: vec![1, 2],
        text: Unit,
    };
    reads_back(&named, "x,[1,2],''");
    reads_back(
        &Page::<_, 2> {
            of: No(3),
            sizes: [4, 5],
        },
        "3,[4,5]",
    );
}

#[test]
fn a_variant_comes_before_its_fields() {
    reads_back(&Place::Anywhere, "Anywhere");
    reads_back(&Place::Region("EU".into()), "Region,EU");
    reads_back(
        &Place::Shop {
            r#in: "Bern".into(),
            no: No(1),
        },
        "Shop,Bern,1",
    );
    reads_back(&Place::Async(), "Async");
    let nested = (
        Either::<Place, No>::Left(Place::Anywhere),
        Either::<u8, No>::Right(No(2)),
    );
    reads_back(&nested, "Left,Anywhere,Right,2");
    reads_back(&vec![Place::Anywhere, Place::Async()], "[Anywhere,Async]");
}

#[test]
fn other_texts_are_refused() {
    for text in [
        "",
        "anywhere",
        "Region",
        "Region,",
        "Anywhere,1",
        "Shop,Bern",
        "''",
    ] {
        assert!(Place::parse(text).is_err(), "{text}");
    }
    let error = Place::parse("Regio,EU").expect_err("there is no such variant");
    assert_eq!(error.at(), 0);
    assert!(
        error.to_string().contains("Anywhere, Region, Shop, Async"),
        "{error}"
    );
    assert!(Never::parse("x").is_err());
    assert!(No::parse("007").is_err() && Named::parse("x,[1,2]").is_err());
}

#[cacheable(cache, skip(cache, calls))]
async fn titled(
    cache: &Cache<(Place, u8), usize>,
    place: &Place,
    size: u8,
    calls: &Calls,
) -> usize {
    usize::from(size) + place.text().len() + calls.enter()
}

#[test]
fn a_derived_key_is_looked_up_by_reference() {
    let time = Virtual::new();
    let (cache, calls) = (cache(&time), Calls::default());
    let place = Place::Region("EU".into());
    time.block_on(async {
        let first = titled(&cache, &place, 1, &calls).await;
        assert_eq!(titled(&cache, &place, 1, &calls).await, first);
        assert_eq!(calls.count(), 1);
    });
}
