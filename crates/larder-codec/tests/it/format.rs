//! A cache's view: values in, bytes out, and back.

use std::time::Duration;

use larder_codec::{Codec, EncodeError, Format, Labels, Postcard, Schema, Times};
use larder_core::Address;
use serde::ser::Error;
use serde::{Deserialize, Serialize, Serializer};

const NONE: Labels<'_> = Labels {
    tags: &[],
    validator: None,
};

fn round<V>(format: &Format<V>, address: Address<'_>, value: Option<&V>) -> Option<V> {
    let bytes = format
        .encode(address, value, Times::default(), &NONE)
        .unwrap();
    format.decode(address, &bytes).unwrap().value
}

/// Absence is said in the header, so no value looks like it; empty values are values.
#[test]
fn bug_e5_absence_is_no_value_and_no_value_is_absence() {
    let here = Address::new("texts", b"1");
    let texts = Format::<Vec<u8>>::traced(Postcard).unwrap();
    assert_eq!(round(&texts, here, None), None);
    assert_eq!(round(&texts, here, Some(&vec![])), Some(vec![]));
    let marker = texts.encode(here, None, Times::default(), &NONE).unwrap();
    assert_eq!(round(&texts, here, Some(&marker)), Some(marker));
    let units = Format::<()>::traced(Postcard).unwrap();
    assert_eq!(round(&units, here, Some(&())), Some(()));
    assert_eq!(round(&units, here, None), None);
    let options = Format::<Option<u8>>::traced(Postcard).unwrap();
    assert_eq!(round(&options, here, Some(&None)), Some(None));
    assert_eq!(round(&options, here, None), None);
}

#[test]
fn bug_c6_odd_keys_are_told_apart() {
    let keys = [
        "",
        " ",
        "é",
        "e\u{301}",
        "한글",
        "🦀",
        "a\r\nDEL x\r\n",
        "\0",
        "''",
        "~",
    ];
    let long = "k".repeat(64 * 1024);
    let longer = format!("{long}k");
    let keys: Vec<&str> = keys.into_iter().chain([&long[..], &longer]).collect();
    let format = Format::<String>::traced(Postcard).unwrap();
    let address = |key: &'static str| Address::new("odd", key.as_bytes());
    let keys: Vec<&'static str> = keys.iter().map(|key| &*key.to_string().leak()).collect();
    for key in &keys {
        let value = (*key).to_owned();
        let bytes = format
            .encode(address(key), Some(&value), Times::default(), &NONE)
            .unwrap();
        for other in &keys {
            let read = format.decode(address(other), &bytes).ok();
            let expected = (other == key).then(|| Some(value.clone()));
            assert_eq!(read.map(|read| read.value), expected);
        }
    }
}

#[test]
fn times_and_labels_come_back() {
    let here = Address::new("texts", b"1");
    let format = Format::<u8>::traced(Postcard).unwrap();
    let times = Times {
        ttl: Duration::from_secs(300),
        stale: Duration::from_secs(3600),
        age: Duration::from_secs(2),
        cost: Duration::from_millis(10),
    };
    let tags = ["shelf".to_owned(), "lamp".to_owned()];
    let labels = Labels {
        tags: &tags,
        validator: Some(b"\"v1\""),
    };
    let bytes = format.encode(here, None, times, &labels).unwrap();
    let read = format.decode(here, &bytes).unwrap();
    assert_eq!(read.frame.times(), times);
    assert_eq!(read.frame.tags().collect::<Vec<_>>(), tags);
    assert_eq!(read.frame.validator(), labels.validator);
}

/// bug D3: no time, however long, is an error or a panic.
#[test]
fn bug_d3_huge_times_are_kept_as_the_longest() {
    let here = Address::new("texts", b"1");
    let format = Format::<u8>::traced(Postcard).unwrap();
    let times = Times {
        ttl: Duration::MAX,
        stale: Duration::from_secs(u64::MAX),
        age: Duration::from_millis(u64::MAX),
        cost: Duration::from_nanos(u64::MAX),
    };
    let bytes = format.encode(here, Some(&1), times, &NONE).unwrap();
    let read = format.decode(here, &bytes).unwrap().frame.times();
    assert_eq!(read, times.rounded());
    assert!(read.ttl > larder_core::Ttl::MAX.duration() * 2);
}

/// Its own `Serialize` says no.
struct Unwilling;

impl Serialize for Unwilling {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("not me"))
    }
}
impl<'de> Deserialize<'de> for Unwilling {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u8::deserialize(deserializer).map(|_| Self)
    }
}

/// A sequence that does not know how long it is.
#[derive(Deserialize)]
struct Unmeasured;

impl Serialize for Unmeasured {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde::ser::SerializeSeq::end(serializer.serialize_seq(None)?)
    }
}

#[test]
fn a_value_that_cannot_be_written_is_an_error() {
    let here = Address::new("texts", b"1");
    let unwilling = Format::<Unwilling>::new(Postcard, Schema::numbered(1, Postcard::ID));
    let written = unwilling.encode(here, Some(&Unwilling), Times::default(), &NONE);
    assert_eq!(written, Err(EncodeError::Value));
    let unmeasured = Format::<Unmeasured>::new(Postcard, Schema::numbered(1, Postcard::ID));
    let written = unmeasured.encode(here, Some(&Unmeasured), Times::default(), &NONE);
    assert_eq!(written, Err(EncodeError::Unsupported));
}

#[test]
fn debug_shows_no_values() {
    let here = Address::new("texts", b"1");
    let format = Format::<String>::traced(Postcard).unwrap();
    let secret = "s3cr3t".to_owned();
    let bytes = format
        .encode(here, Some(&secret), Times::default(), &NONE)
        .unwrap();
    let shown = format!(
        "{format:?} {:?} {NONE:?}",
        format.decode(here, &bytes).unwrap()
    );
    assert!(
        shown.contains("codec: 1") && !shown.contains(&secret),
        "{shown}"
    );
}

/// A cache holds its codec behind a pointer.
#[test]
fn a_codec_is_an_object() {
    let codec: Box<dyn Codec<u32>> = Box::new(Postcard);
    let mut bytes = vec![];
    codec.encode(&300, &mut bytes).unwrap();
    assert_eq!((codec.decode(&bytes), codec.id()), (Ok(300), 1));
    assert_eq!(format!("{:?}", &*codec), "codec 1");
}
