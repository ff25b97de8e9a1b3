//! Caches by every codec (S6): nodes that share a far store.

use std::time::Duration;

use larder::{Cache, CacheBuilder, Got, Json, Larder, Postcard, Protobuf, Raw, Shelf};
use larder_kit::Virtual;
use serde::{Deserialize, Serialize};

const TTL: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Deal {
    no: u64,
    price: f64,
    lines: Vec<Option<String>>,
}

#[derive(Clone, PartialEq, prost::Message, larder::Schema)]
struct User {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(bytes = "vec", repeated, tag = "3")]
    notes: Vec<Vec<u8>>,
}

fn deal() -> Deal {
    Deal {
        no: 7,
        price: 0.1,
        lines: vec![None, Some("é".into())],
    }
}

fn user() -> User {
    User {
        id: 7,
        name: "Ada".into(),
        notes: vec![vec![0, 255]],
    }
}

/// Two nodes over one store, each with a cache of its own that goes by this name.
struct Nodes {
    time: Virtual,
    shelf: Shelf,
}

impl Nodes {
    fn new() -> Self {
        let time = Virtual::new();
        let shelf = Shelf::new(&*time.runtime());
        Self { time, shelf }
    }

    fn larder(&self) -> Larder {
        let larder = Larder::builder().runtime(self.time.clone());
        larder.far(self.shelf.clone()).build().unwrap()
    }

    fn cache<V: Send + Sync + 'static>(
        &self,
        set: impl FnOnce(CacheBuilder<u64, V>) -> CacheBuilder<u64, V>,
    ) -> Cache<u64, V> {
        let cache = self.larder().cache("values").ttl(TTL);
        set(cache).build().unwrap()
    }

    /// What one node puts the other gets, absence too.
    fn share<V: Send + Sync + PartialEq + std::fmt::Debug + 'static>(
        &self,
        value: V,
        set: impl Fn(CacheBuilder<u64, V>) -> CacheBuilder<u64, V>,
    ) {
        let (one, two) = (self.cache(&set), self.cache(&set));
        self.time.advance(Duration::from_secs(2));
        self.time.block_on(async {
            let value = std::sync::Arc::new(value);
            let _ = one.put(&1, value.clone()).await;
            assert_eq!(two.get(&1).await, Got::Value(value));
            let none = one.get_or_load(&2, || async { None::<std::sync::Arc<V>> });
            assert_eq!(none.await.unwrap(), None);
            assert_eq!(two.get(&2).await, Got::KnownAbsent);
            assert_eq!(two.stats().far_tier.unwrap().undecodable, 0);
        });
    }
}

#[test]
fn s6_values_and_absences_are_shared_in_every_codec() {
    Nodes::new().share(deal(), CacheBuilder::far);
    Nodes::new().share(deal(), |cache| cache.codec(Postcard));
    Nodes::new().share(deal(), |cache| cache.codec(Json));
    Nodes::new().share(user(), |cache| cache.codec(Protobuf).shaped());
    Nodes::new().share(user(), |cache| cache.codec(Protobuf).schema(1));
    Nodes::new().share("größe".to_owned(), |cache| cache.codec(Raw));
    Nodes::new().share(bytes::Bytes::from_static(b"\0\xff"), |cache| {
        cache.codec(Raw)
    });
    Nodes::new().share("long ".repeat(1_000), |cache| {
        cache.codec(Raw).compress(100)
    });
}

/// An absence is a state of its own, in no codec a value: SP59, bug-E5.
#[test]
fn sp59_bug_e5_no_value_is_taken_for_an_absence() {
    Nodes::new().share(None::<u8>, CacheBuilder::far);
    Nodes::new().share(None::<u8>, |cache| cache.codec(Json));
    Nodes::new().share("null".to_owned(), |cache| cache.codec(Raw));
    Nodes::new().share(String::new(), |cache| cache.codec(Raw));
    Nodes::new().share(User::default(), |cache| cache.codec(Protobuf).shaped());
}

#[test]
fn sp59_where_absence_is_not_kept_the_value_before_stays_for_none() {
    let nodes = Nodes::new();
    let cache = nodes.cache::<u64>(|cache| cache.far().cache_absence(false));
    nodes.time.block_on(async {
        let _ = cache.put(&1, 7).await;
        let none = || async { None::<u64> };
        assert_eq!(cache.get_or_load(&1, none).await.unwrap(), Some(7_u64));
        assert_eq!(cache.get_or_load(&2, none).await.unwrap(), None);
        assert_eq!(cache.get(&2).await, Got::Unknown);
        assert_eq!(cache.get(&1).await, Got::Value(7.into()));
    });
}

/// Two versions of a program side by side, each with a codec of its own: neither evicts the other's.
#[test]
fn s4_two_codecs_live_side_by_side_under_one_key() {
    let nodes = Nodes::new();
    let old = nodes.cache::<Deal>(CacheBuilder::far_only);
    let new = nodes.cache::<Deal>(|cache| cache.codec(Json).without_near());
    nodes.time.block_on(async {
        let load = || async { deal() };
        old.get_or_load(&1, load).await.unwrap();
        assert_eq!(new.get(&1).await, Got::Unknown);
        new.get_or_load(&1, load).await.unwrap();
        assert_eq!(old.get(&1).await, Got::Value(deal().into()));
        assert_eq!(new.get(&1).await, Got::Value(deal().into()));
        let _ = old.invalidate(&1).await;
        assert_eq!(new.get(&1).await, Got::Unknown);
    });
}

#[test]
fn fc82_a_value_that_its_codec_would_lose_is_given_and_not_stored_far() {
    let nodes = Nodes::new();
    let build = || nodes.cache::<Option<f64>>(|cache| cache.codec(Json));
    let (one, two) = (build(), build());
    nodes.time.block_on(async {
        let load = || async { std::sync::Arc::new(Some(f64::NAN)) };
        let given = one.get_or_load(&1, load).await.unwrap();
        assert!(given.unwrap().is_nan());
        assert_eq!(one.stats().far_tier.unwrap().unfit, 1);
        assert_eq!(two.get(&1).await, Got::Unknown);
    });
}

#[test]
fn a_codec_is_kept_whatever_the_order_of_the_settings() {
    let nodes = Nodes::new();
    let one = nodes.cache::<Deal>(|cache| cache.codec(Json).far());
    let two = nodes.cache::<Deal>(|cache| cache.far_only().codec(Json));
    nodes.time.block_on(async {
        let _ = one.put(&1, deal()).await;
        assert_eq!(two.get(&1).await, Got::Value(deal().into()));
    });
}

#[test]
fn settings_that_say_nothing_are_refused_by_name() {
    let nodes = Nodes::new();
    let error = |set: fn(CacheBuilder<u64, String>) -> CacheBuilder<u64, String>| {
        let built = set(nodes.larder().cache("values").ttl(TTL)).build();
        let error = built.unwrap_err();
        (error.setting().to_owned(), error.to_string())
    };
    let (setting, text) = error(|cache| cache.compress(100));
    assert_eq!(setting, "compress");
    assert!(text.contains("`far`"), "{text}");
    assert_eq!(error(CacheBuilder::without_near).0, "without_near");
    let embedded = Larder::builder().runtime(nodes.time.clone()).build();
    let embedded = embedded.unwrap().cache::<u64, String>("values").ttl(TTL);
    let error = embedded.codec(Raw).without_near().build().unwrap_err();
    assert_eq!(error.setting(), "without_near");
}

#[test]
fn a_codec_without_shapes_asks_for_a_schema() {
    let nodes = Nodes::new();
    let built = nodes.larder().cache::<u64, User>("values").ttl(TTL);
    let error = built.codec(Protobuf).build().unwrap_err();
    assert_eq!(error.setting(), "schema");
    let text = error.to_string();
    assert!(text.contains("User") && text.contains("`shaped`"), "{text}");
}

/// A field's number is part of the shape: another one is another message.
#[test]
fn s4_the_number_of_a_field_is_part_of_its_shape() {
    #[derive(Clone, PartialEq, prost::Message, larder::Schema)]
    struct Moved {
        #[prost(uint64, tag = "1")]
        id: u64,
        #[prost(string, tag = "4")]
        name: String,
        #[prost(bytes = "vec", repeated, tag = "3")]
        notes: Vec<Vec<u8>>,
    }
    let nodes = Nodes::new();
    let old = nodes.cache::<User>(|cache| cache.codec(Protobuf).shaped());
    let new = nodes.cache::<Moved>(|cache| cache.codec(Protobuf).shaped());
    nodes.time.block_on(async {
        let _ = old.put(&1, user()).await;
        assert_eq!(new.get(&1).await, Got::Unknown);
    });
}
