//! Types that cannot be traced are told apart and told where.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use larder_codec::{Postcard, Schema, Shape, ShapeError, ShapeErrorKind};
use serde::de::{DeserializeOwned, Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

fn error<V: DeserializeOwned>() -> (ShapeErrorKind, String) {
    let error = Shape::traced::<V>(false).unwrap_err();
    (error.kind(), error.path().to_owned())
}

/// A deal around the type in question.
#[derive(Deserialize)]
#[expect(dead_code, reason = "only read by serde")]
struct Deal<T> {
    id: u64,
    lines: Vec<Line<T>>,
}
#[derive(Deserialize)]
#[expect(dead_code, reason = "only read by serde")]
struct Line<T> {
    count: u8,
    #[serde(rename = "the code")]
    code: T,
}

fn in_a_deal<V: DeserializeOwned>(kind: ShapeErrorKind) {
    assert_eq!(
        error::<Deal<V>>(),
        (kind, "Deal.lines[].the code".to_owned())
    );
}

#[derive(Deserialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "only read by serde")]
enum Untagged {
    Number(u64),
    Text(String),
}
#[derive(Deserialize)]
#[serde(tag = "kind")]
#[expect(dead_code, reason = "only read by serde")]
enum Internal {
    Number { number: u64 },
    Text { text: String },
}
#[derive(Deserialize)]
#[serde(tag = "kind", content = "content")]
#[expect(dead_code, reason = "only read by serde")]
enum Adjacent {
    Number(u64),
    Text(String),
}
#[derive(Deserialize)]
#[expect(dead_code, reason = "only read by serde")]
struct Flat {
    id: u64,
    #[serde(flatten)]
    rest: BTreeMap<String, u64>,
}

#[test]
fn what_asks_the_bytes_is_refused() {
    in_a_deal::<Untagged>(ShapeErrorKind::SelfDescribing);
    in_a_deal::<Internal>(ShapeErrorKind::SelfDescribing);
    in_a_deal::<serde::de::IgnoredAny>(ShapeErrorKind::SelfDescribing);
    assert_eq!(error::<Deal<Adjacent>>().0, ShapeErrorKind::SelfDescribing);
    let (kind, path) = error::<Deal<Flat>>();
    assert_eq!(kind, ShapeErrorKind::SelfDescribing);
    assert!(path.starts_with("Deal.lines[].the code["), "{path}");
}

/// Texts of one's own making are in no list of samples.
struct Code;

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let fine = text.starts_with("DE-");
        fine.then_some(Self)
            .ok_or_else(|| D::Error::custom("a code begins with DE-"))
    }
}

#[test]
fn what_accepts_no_sample_is_refused() {
    in_a_deal::<Code>(ShapeErrorKind::Refused);
    in_a_deal::<Option<Code>>(ShapeErrorKind::Refused);
    assert_eq!(
        error::<(u8, Code, u8)>(),
        (ShapeErrorKind::Refused, ".1".to_owned())
    );
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only read by serde")]
struct Aliased {
    #[serde(alias = "number")]
    id: u64,
    title: String,
}
#[derive(Deserialize)]
enum AliasedVariant {
    #[serde(alias = "Zero")]
    None,
    Some,
}

/// With an alias, one list of names has two meanings: which index or place has which name.
#[test]
fn aliases_are_refused() {
    in_a_deal::<Aliased>(ShapeErrorKind::Unread);
    let (kind, path) = error::<Deal<AliasedVariant>>();
    assert_eq!(kind, ShapeErrorKind::Unread);
    assert!(path.starts_with("Deal.lines[].the code::"), "{path}");
}

#[derive(Deserialize)]
enum WithOther {
    Known,
    #[serde(other)]
    Unknown,
}
#[derive(Deserialize)]
enum Never {}

#[test]
fn enums_without_a_known_set_of_variants_are_refused() {
    assert_eq!(error::<WithOther>().0, ShapeErrorKind::Open);
    in_a_deal::<Never>(ShapeErrorKind::Unread);
}

/// Reads parts that its own function knows how to read.
struct Parts<R>(PhantomData<R>);

trait Read<'de> {
    fn read<A: SeqAccess<'de>>(parts: A) -> Result<(), A::Error>;
}

impl<'de, R: Read<'de>> Visitor<'de> for Parts<R> {
    type Value = Self;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("parts")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, parts: A) -> Result<Self, A::Error> {
        R::read(parts).map(|()| self)
    }
}

macro_rules! read {
    ($name:ident by $method:ident($($length:literal,)?): |$parts:ident| $read:expr) => {
        struct $name;

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let parts = Parts::<Self>(PhantomData);
                deserializer.$method($($length,)? parts).map(|_| Self)
            }
        }

        impl<'de> Read<'de> for $name {
            fn read<A: SeqAccess<'de>>(mut $parts: A) -> Result<(), A::Error> {
                $read
            }
        }
    };
}

// A number decides what comes next.
read! { Versioned by deserialize_tuple(2,): |parts| {
    if parts.next_element::<u8>()?.unwrap_or_default() < 2 {
        parts.next_element::<u64>().map(drop)
    } else {
        parts.next_element::<String>().map(drop)
    }
} }

// A variant decides what comes next.
read! { Tagged by deserialize_tuple(2,): |parts| {
    match parts.next_element::<Tag>()? {
        Some(Tag::Text) => parts.next_element::<String>().map(drop),
        _ => parts.next_element::<u64>().map(drop),
    }
} }

#[derive(Deserialize)]
enum Tag {
    Number,
    Text,
}

// A sequence of elements that differ.
read! { Uneven by deserialize_seq(): |parts| {
    parts.next_element::<u8>()?;
    let second = parts.next_element::<String>()?;
    second.map(drop).ok_or_else(|| A::Error::custom("a second part is missing"))
} }

// Takes one of two parts.
read! { Careless by deserialize_tuple(2,): |parts| parts.next_element::<u8>().map(drop) }

#[test]
fn what_reads_different_things_in_one_place_is_refused() {
    assert_eq!(error::<Deal<Versioned>>().0, ShapeErrorKind::Ambiguous);
    assert_eq!(error::<Deal<Tagged>>().0, ShapeErrorKind::Ambiguous);
    assert_eq!(error::<Deal<Uneven>>().0, ShapeErrorKind::Ambiguous);
}

/// Within itself, and serde is told no name on the way.
#[derive(Deserialize)]
#[serde(transparent)]
struct Nameless(#[expect(dead_code, reason = "only read by serde")] Vec<Self>);
/// Has no value that ends.
#[derive(Deserialize)]
struct Endless(#[expect(dead_code, reason = "only read by serde")] Box<Self>);

#[test]
fn what_has_no_end_is_refused() {
    assert_eq!(error::<Nameless>().0, ShapeErrorKind::TooDeep);
    assert_eq!(error::<Deal<Endless>>().0, ShapeErrorKind::Refused);
}

#[test]
fn what_is_not_read_is_no_shape() {
    in_a_deal::<Careless>(ShapeErrorKind::Unread);
}

/// Makes a value of its own of any error.
struct Forgiving<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Forgiving<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let _: Option<T> = T::deserialize(deserializer).ok();
        Ok(Self(PhantomData))
    }
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only read by serde")]
enum Choice {
    Number(u64),
    Text(String),
}
#[derive(Deserialize)]
#[expect(dead_code, reason = "only read by serde")]
struct Coded {
    code: Code,
    count: u64,
}

/// What the type makes of an error does not make the part that failed known.
#[test]
fn an_error_that_the_type_swallows_counts() {
    in_a_deal::<Forgiving<Untagged>>(ShapeErrorKind::SelfDescribing);
    assert_eq!(error::<Forgiving<Coded>>().0, ShapeErrorKind::Refused);
    assert_eq!(error::<Deal<Forgiving<Coded>>>().0, ShapeErrorKind::Refused);
    let shape = Shape::traced::<Vec<Forgiving<Choice>>>(false).unwrap();
    assert_eq!(shape.as_str(), "[Choice<Number(u64),Text(str)>]");
}

#[test]
fn the_text_names_place_reason_and_way_out() {
    #[derive(Serialize, Deserialize)]
    struct Offer {
        code: Refusing,
    }
    #[derive(Serialize)]
    struct Refusing;
    impl<'de> Deserialize<'de> for Refusing {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            Code::deserialize(deserializer).map(|_| Self)
        }
    }
    let error: ShapeError = Schema::traced::<Offer>(&Postcard).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the shape of `Offer.code` cannot be traced: it accepts none of the sample values \
         (a code begins with DE-); give the cache `schema = N`, and another N whenever the type changes"
    );
}
