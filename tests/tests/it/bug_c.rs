//! bug-C1, C3, C5 and C7: different arguments never share an entry, and a float is no key.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use larder::{Cache, Key, Larder, cacheable};
use larder_kit::Virtual;

fn cache<K: Key, V: Send + Sync + 'static>(time: &Virtual) -> Cache<K, V> {
    let larder = Larder::builder().runtime(time.clone()).build();
    larder.unwrap().cache("keys").build().unwrap()
}

/// Counts the loads.
type Loads = Arc<AtomicUsize>;

#[cacheable(cache, key = (left, right))]
async fn joined(
    cache: &Cache<(String, String), String>,
    left: &str,
    right: &str,
    loads: &Loads,
) -> String {
    loads.fetch_add(1, Ordering::SeqCst);
    format!("{left:?} {right:?}")
}

/// Calls with every two of `texts` twice; each must load once and give its own.
fn every_pair_is_its_own(texts: &[&str]) {
    let time = Virtual::new();
    let (cache, loads) = (cache(&time), Loads::default());
    time.block_on(async {
        for _ in 0..2 {
            for left in texts {
                for right in texts {
                    let answer = joined(&cache, left, right, &loads).await;
                    assert_eq!(answer, format!("{left:?} {right:?}"));
                }
            }
        }
    });
    let distinct: BTreeSet<_> = texts.iter().collect();
    assert_eq!(
        loads.load(Ordering::SeqCst),
        distinct.len() * distinct.len()
    );
}

#[test]
fn bug_c1_arguments_that_look_alike_when_joined_are_two_keys() {
    for separator in [
        ":", "|", ",", "/", "::", "\\", "\0", "~", "''", "%2C", "[", "], [", " ", "\n",
    ] {
        let (left, right) = (format!("a{separator}b"), format!("b{separator}c"));
        every_pair_is_its_own(&["a", "b", "c", "ab", "bc", &left, &right, separator]);
    }
    every_pair_is_its_own(&["ab", "c", "a", "bc", "", "abc"]);
}

#[test]
fn bug_c1_odd_texts_are_their_own_keys() {
    let long = "x".repeat(65_536);
    let texts = [
        "",
        " ",
        "  ",
        "\u{e9}",
        "e\u{301}",
        "한글",
        "🥕",
        "a\r\nDEL x\r\n",
        "\0",
        "\0\0",
        "'",
        "''",
        "~",
        "~~",
        "%",
        "%25",
        "null",
        "None",
        "Some",
        &long,
        &long[1..],
    ];
    every_pair_is_its_own(&texts);
}

type Nested = (Vec<String>, Vec<u64>, Option<String>);

#[cacheable(cache, key = (one, many, maybe))]
async fn nested(
    cache: &Cache<Nested, String>,
    one: &[String],
    many: &[u64],
    maybe: Option<String>,
    loads: &Loads,
) -> String {
    loads.fetch_add(1, Ordering::SeqCst);
    format!("{one:?} {many:?} {maybe:?}")
}

#[test]
fn bug_c1_sequences_keep_their_bounds() {
    let time = Virtual::new();
    let (cache, loads) = (cache(&time), Loads::default());
    let ones: [&[&str]; 7] = [
        &[],
        &[""],
        &["", ""],
        &["a", "b"],
        &["a,b"],
        &["ab"],
        &["a", "", "b"],
    ];
    let manys: [&[u64]; 5] = [&[], &[0], &[12], &[1, 2], &[1, 2, 0]];
    time.block_on(async {
        for _ in 0..2 {
            for one in ones {
                for many in manys {
                    for maybe in [None, Some(""), Some("~")] {
                        let one: Vec<_> = one.iter().map(|&part| part.to_owned()).collect();
                        let maybe = maybe.map(str::to_owned);
                        let expected = format!("{one:?} {many:?} {maybe:?}");
                        assert_eq!(nested(&cache, &one, many, maybe, &loads).await, expected);
                    }
                }
            }
        }
    });
    assert_eq!(loads.load(Ordering::SeqCst), 7 * 5 * 3);
}

/// One of several who share a cache.
#[derive(Clone)]
struct Tenant {
    name: String,
    shared: Cache<(String, u64), String>,
    own: Cache<u64, String>,
}

impl Tenant {
    #[cacheable(self.shared, key = (&self.name, no))]
    async fn shared(&self, no: u64) -> String {
        format!("{} {no}", self.name)
    }

    #[cacheable(self.own)]
    async fn own(&self, no: u64) -> String {
        format!("{} {no}", self.name)
    }
}

#[test]
fn bug_c3_two_receivers_never_share_an_entry() {
    let time = Virtual::new();
    let shared: Cache<(String, u64), String> = cache(&time);
    let tenants = ["left", "right"].map(|name| Tenant {
        name: name.to_owned(),
        shared: shared.clone(),
        own: cache(&time),
    });
    time.block_on(async {
        for _ in 0..2 {
            for tenant in &tenants {
                for no in [1, 2] {
                    let expected = format!("{} {no}", tenant.name);
                    assert_eq!(tenant.shared(no).await, expected);
                    assert_eq!(tenant.own(no).await, expected);
                }
            }
        }
    });
    assert_eq!(shared.stats().loaded, 4);
}

#[cacheable(cache, skip(cache))]
async fn all_of_them(
    cache: &Cache<(u64, String, bool, Option<u8>), String>,
    no: u64,
    text: &str,
    flag: bool,
    maybe: Option<u8>,
) -> String {
    format!("{no} {text} {flag} {maybe:?}")
}

#[test]
fn bug_c3_every_argument_that_is_not_named_belongs_to_the_key() {
    let time = Virtual::new();
    let cache = cache(&time);
    let calls = [
        (1, "a", true, None),
        (2, "a", true, None),
        (1, "b", true, None),
        (1, "a", false, None),
        (1, "a", true, Some(0)),
    ];
    time.block_on(async {
        for _ in 0..2 {
            for (no, text, flag, maybe) in calls {
                let answer = all_of_them(&cache, no, text, flag, maybe).await;
                assert_eq!(answer, format!("{no} {text} {flag} {maybe:?}"));
            }
        }
    });
    assert_eq!(cache.stats().loaded, 5);
}

#[cacheable(cache, key = bytes)]
async fn of_bytes(cache: &Cache<Vec<u8>, Vec<u8>>, bytes: &[u8]) -> Vec<u8> {
    bytes.to_vec()
}

#[test]
fn bug_c5_bytes_are_compared_as_bytes() {
    let time = Virtual::new();
    let cache = cache(&time);
    let (quarter, three_quarters) = (0.25_f64.to_be_bytes(), 0.75_f64.to_be_bytes());
    let keys: [&[u8]; 5] = [
        &[0xff],
        &[0xfe],
        "\u{fffd}".as_bytes(),
        &quarter,
        &three_quarters,
    ];
    time.block_on(async {
        for _ in 0..2 {
            for key in keys {
                assert_eq!(of_bytes(&cache, key).await, key);
            }
        }
    });
    assert_eq!((cache.stats().loaded, cache.stats().entries), (5, 5));
}

#[test]
fn bug_c5_every_single_byte_and_every_start_of_a_text_is_its_own_key() {
    let time = Virtual::new();
    let cache = cache(&time);
    let text = "é한🥕".as_bytes();
    time.block_on(async {
        for _ in 0..2 {
            for byte in 0..=u8::MAX {
                assert_eq!(of_bytes(&cache, &[byte]).await, [byte]);
            }
            for end in 0..=text.len() {
                assert_eq!(of_bytes(&cache, &text[..end]).await, &text[..end]);
            }
        }
    });
    // The first byte of the text alone was there.
    assert_eq!(cache.stats().loaded as usize, 256 + text.len());
}

/// Whether a type is a key: the inherent constant hides the trait's where it exists.
struct Is<T>(std::marker::PhantomData<T>);

trait NoKey {
    const KEY: bool = false;
}

impl<T> NoKey for Is<T> {}

impl<T: Key> Is<T> {
    const KEY: bool = true;
}

#[test]
fn bug_c7_a_float_is_no_key_alone_or_as_a_part() {
    let keys = [Is::<u64>::KEY, Is::<(u64, Option<String>)>::KEY];
    assert_eq!(keys, [true; 2], "the probe tells keys");
    let floats = [
        Is::<f32>::KEY,
        Is::<f64>::KEY,
        Is::<Option<f64>>::KEY,
        Is::<Vec<f64>>::KEY,
        Is::<(u64, f64)>::KEY,
        Is::<[f64; 2]>::KEY,
    ];
    assert_eq!(floats, [false; 6]);
}

#[test]
fn bug_c7_the_bits_of_a_float_are_a_key_that_hits() {
    let (time, loads) = (Virtual::new(), Arc::new(AtomicUsize::new(0)));
    let larder = Larder::builder().runtime(time.clone()).build().unwrap();
    let cache = larder.cache::<u64, String>("floats").build().unwrap();
    for float in [f64::NAN, 0.0, -0.0, 0.1 + 0.2, 0.3, f64::NAN, -0.0] {
        let loads = Arc::clone(&loads);
        let load = move || async move {
            loads.fetch_add(1, Ordering::SeqCst);
            format!("{float:?}")
        };
        let found = time.block_on(cache.get_or_load(&float.to_bits(), load));
        assert_eq!(found.unwrap(), format!("{float:?}"));
    }
    assert_eq!(loads.load(Ordering::SeqCst), 5);
}
