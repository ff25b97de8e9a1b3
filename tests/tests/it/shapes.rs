//! Shapes that are derived, for values that tracing cannot follow.

use larder::{Cache, Got, Larder, Shelf};
use larder_kit::Virtual;
use serde::{Deserialize, Serialize};

/// A text of one form, which no sample of a tracer has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, larder::Schema)]
#[serde(try_from = "String")]
struct Account(String);

impl TryFrom<String> for Account {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let fits = text.starts_with("ACC-") && text.len() == 12;
        fits.then_some(Self(text)).ok_or("not an account")
    }
}

mod before {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, larder::Schema)]
    pub(super) struct Owner {
        pub(super) account: Account,
        pub(super) kind: Kind<u8>,
        #[schema("seconds, u64")]
        pub(super) since: std::time::Duration,
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, larder::Schema)]
    pub(super) enum Kind<T> {
        Private,
        Firm { no: u32, parts: Vec<T> },
        Many(Box<Self>, Option<T>),
    }
}

mod after {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, larder::Schema)]
    pub(super) struct Owner {
        pub(super) account: Account,
        pub(super) kind: before::Kind<u16>,
        #[schema("seconds, u64")]
        pub(super) since: std::time::Duration,
    }
}

fn larder(time: &Virtual, shelf: &Shelf) -> Larder {
    let larder = Larder::builder().runtime(time.clone()).far(shelf.clone());
    larder.build().unwrap()
}

fn owner() -> before::Owner {
    let firm = before::Kind::Firm {
        no: 7,
        parts: vec![1, 2],
    };
    before::Owner {
        account: Account("ACC-00000001".into()),
        kind: before::Kind::Many(Box::new(firm), Some(3)),
        since: std::time::Duration::from_secs(5),
    }
}

#[test]
fn a_derived_shape_serves_where_tracing_cannot() {
    let (time, ttl) = (Virtual::new(), std::time::Duration::from_secs(60));
    let shelf = Shelf::new(&*time.runtime());
    let one = larder(&time, &shelf);
    let traced = one
        .cache::<u64, before::Owner>("owners")
        .ttl(ttl)
        .far()
        .build();
    let error = traced.unwrap_err();
    assert_eq!(error.setting(), "schema");
    assert!(error.to_string().contains("account"), "{error}");
    let build = |larder: &Larder| -> Cache<u64, before::Owner> {
        larder
            .cache("owners")
            .ttl(ttl)
            .far()
            .shaped()
            .build()
            .unwrap()
    };
    let (here, there) = (build(&one), build(&larder(&time, &shelf)));
    time.block_on(async {
        let _ = here.put(&1, owner()).await;
        assert_eq!(there.get(&1).await, Got::Value(owner().into()));
    });
}

#[test]
fn another_shape_deep_inside_reads_nothing_and_evicts_nothing() {
    let (time, ttl) = (Virtual::new(), std::time::Duration::from_secs(60));
    let shelf = Shelf::new(&*time.runtime());
    let old: Cache<u64, before::Owner> = larder(&time, &shelf)
        .cache("owners")
        .ttl(ttl)
        .far_only()
        .shaped()
        .build()
        .unwrap();
    let new: Cache<u64, after::Owner> = larder(&time, &shelf)
        .cache("owners")
        .ttl(ttl)
        .far_only()
        .shaped()
        .build()
        .unwrap();
    time.block_on(async {
        let _ = old.put(&1, owner()).await;
        assert_eq!(new.get(&1).await, Got::Unknown);
        let load = || async {
            after::Owner {
                account: Account("ACC-00000002".into()),
                kind: before::Kind::Private,
                since: std::time::Duration::ZERO,
            }
        };
        let loaded = new.fetch(&1, load).await.unwrap();
        assert!(format!("{:?}", loaded.outcome).contains("Schema"));
        assert_eq!(old.get(&1).await, Got::Value(owner().into()));
        let _ = new.invalidate(&1).await;
        assert_eq!(old.get(&1).await, Got::Unknown);
    });
}
