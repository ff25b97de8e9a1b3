//! The shapes of types that look at what they read.

use larder_codec::Shape;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::shapes::shape;

macro_rules! validated {
    ($name:ident from $from:ty: $valid:expr) => {
        struct $name;

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let valid: fn(&$from) -> bool = $valid;
                let fine = valid(&<$from>::deserialize(deserializer)?);
                fine.then_some(Self)
                    .ok_or_else(|| D::Error::custom("not valid"))
            }
        }
    };
}

validated! { Date from String: |text| {
    text.len() == 10 && text.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    })
} }
validated! { Id from String: |text| text.len() == 36 && text.matches('-').count() == 4 }
validated! { Percent from u8: |percent| *percent > 1 && *percent <= 100 }
validated! { Year from u16: |year| (1970..2100).contains(year) }
validated! { Span from (u32, u32, u32): |(from, to, step)| from < to && to > step && *step > 0 }
validated! { Few from Vec<u8>: |few| few.len() >= 2 }

#[test]
fn types_that_validate_get_what_they_accept() {
    assert_eq!(shape::<Date>(), "str");
    assert_eq!(shape::<(Date, Id, Date)>(), "(str;3)");
    assert_eq!(shape::<(Percent, Year)>(), "(u8,u16)");
    assert_eq!(shape::<Span>(), "(u32;3)");
    assert_eq!(shape::<Vec<(Date, Few)>>(), "[(str,[u8])]");
}

/// Sixteen bytes to machines and a text to people, as identifiers do.
struct Uuid;

impl<'de> Deserialize<'de> for Uuid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Uuid;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("sixteen bytes or their text")
            }
            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Uuid, E> {
                let fine = bytes.len() == 16;
                fine.then_some(Uuid)
                    .ok_or_else(|| E::invalid_length(bytes.len(), &self))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Uuid, E> {
                let fine = text.len() == 36;
                fine.then_some(Uuid)
                    .ok_or_else(|| E::invalid_length(text.len(), &self))
            }
        }
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(Visitor)
        } else {
            deserializer.deserialize_bytes(Visitor)
        }
    }
}

#[test]
fn an_identifier_is_what_the_codec_makes_of_it() {
    assert_eq!(shape::<Option<Uuid>>(), "?bytes");
    assert_eq!(Shape::traced::<Uuid>(true).unwrap().as_str(), "str");
}

#[test]
fn moments_and_days_are_texts() {
    assert_eq!(shape::<jiff::Timestamp>(), "str");
    assert_eq!(shape::<Vec<jiff::civil::Date>>(), "[str]");
    assert_eq!(
        shape::<(jiff::civil::Time, jiff::civil::DateTime)>(),
        "(str;2)"
    );
    assert_eq!(shape::<(jiff::Span, jiff::SignedDuration)>(), "(str;2)");
}
