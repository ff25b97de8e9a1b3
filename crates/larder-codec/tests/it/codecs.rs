//! Every codec: what is written is read, and what cannot be read again is not written.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use larder_codec::{
    Codec, DecodeError, EncodeError, Format, Json, Labels, Postcard, Protobuf, Raw, Schema,
    ShapeErrorKind, Times,
};
use larder_core::Address;
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

const HERE: Address<'_> = Address::new("deals", b"7");

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Deal {
    id: u64,
    title: String,
    price: f64,
    prices: BTreeMap<u16, Option<i32>>,
    state: State,
    raw: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum State {
    Open,
    Sold { to: String, at: (i64, u8) },
    Part(Box<Self>, Vec<Self>),
    Of(Option<char>),
}

pub(crate) fn deal() -> Deal {
    let sold = State::Sold {
        to: "é\"\\\u{0}🦀".to_owned(),
        at: (i64::MIN, 255),
    };
    Deal {
        id: u64::MAX,
        title: String::new(),
        price: 0.1 + 0.2,
        prices: BTreeMap::from([(7, Some(-5)), (9, None)]),
        state: State::Part(
            Box::new(State::Open),
            vec![sold, State::Of(None), State::Of(Some('"'))],
        ),
        raw: vec![0, 255],
    }
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct User {
    #[prost(uint64, tag = "1")]
    pub(crate) id: u64,
    #[prost(string, tag = "2")]
    pub(crate) name: String,
    #[prost(message, repeated, tag = "3")]
    pub(crate) friends: Vec<Self>,
    #[prost(bytes = "vec", optional, tag = "4")]
    pub(crate) picture: Option<Vec<u8>>,
    #[prost(map = "string, sint32", tag = "5")]
    pub(crate) scores: std::collections::HashMap<String, i32>,
}

pub(crate) fn user() -> User {
    let friend = User {
        id: 8,
        picture: Some(vec![]),
        ..User::default()
    };
    User {
        id: 7,
        name: "Ada".to_owned(),
        friends: vec![friend.clone(), friend],
        picture: None,
        scores: [("chess".to_owned(), -3)].into(),
    }
}

fn written<V>(codec: &impl Codec<V>, value: &V) -> Result<Vec<u8>, EncodeError> {
    let mut out = b"before".to_vec();
    codec.encode(value, &mut out)?;
    assert_eq!(&out[..6], b"before");
    Ok(out[6..].to_vec())
}

fn again<V>(codec: &impl Codec<V>, value: &V) -> V {
    codec.decode(&written(codec, value).unwrap()).unwrap()
}

#[test]
fn fc80_simple_complex_arrays_nothing_and_bytes_come_back() {
    fn serde<V: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &V) {
        assert_eq!(&again(&Postcard, value), value);
        assert_eq!(&again(&Json, value), value);
    }
    serde(&deal());
    serde(&Some(7_u8));
    serde(&None::<String>);
    serde(&[1.5_f32, f32::MIN_POSITIVE, -0.0]);
    serde(&vec![vec![(1_u8, "a".to_owned())], vec![]]);
    serde(&());
    serde(&(i128::MIN, u128::MAX));
    assert_eq!(again(&Protobuf, &user()), user());
    assert_eq!(again(&Protobuf, &User::default()), User::default());
}

#[test]
fn raw_values_are_their_own_bytes() {
    let bytes = b"a\0\xff".to_vec();
    assert_eq!(written(&Raw, &bytes).unwrap(), bytes);
    assert_eq!(again(&Raw, &bytes), bytes);
    assert_eq!(again(&Raw, &Bytes::from_static(b"a\0\xff")), bytes);
    assert_eq!(*again(&Raw, &bytes.clone().into_boxed_slice()), bytes[..]);
    assert_eq!(*again(&Raw, &Arc::<[u8]>::from(&bytes[..])), bytes[..]);
    let text = "größe".to_owned();
    assert_eq!(written(&Raw, &text).unwrap(), text.as_bytes());
    assert_eq!(again(&Raw, &text), text);
    assert_eq!(*again(&Raw, &text.clone().into_boxed_str()), text[..]);
    assert_eq!(*again(&Raw, &Arc::<str>::from(&text[..])), text[..]);
    let no_text: Result<String, _> = Raw.decode(b"\xff");
    assert_eq!(no_text, Err(DecodeError::Malformed));
}

/// JSON would write each of these as another value.
#[test]
fn fc82_what_json_would_lose_is_not_written() {
    fn lost<V: Serialize + DeserializeOwned>(value: &V) {
        assert_eq!(written(&Json, value), Err(EncodeError::Lossy));
    }
    #[derive(Serialize, Deserialize)]
    struct Thin<T>(T);
    #[derive(Serialize, Deserialize)]
    struct Nothing;
    lost(&f64::NAN);
    lost(&f32::INFINITY);
    lost(&Some(f64::NEG_INFINITY));
    lost(&vec![BTreeMap::from([(1, f32::NAN)])]);
    lost(&Some(None::<u8>));
    lost(&Some(()));
    lost(&Some(Nothing));
    lost(&vec![(Some(Thin(None::<u8>)),)]);
    lost(&Some(Thin(Some(Thin(())))));
    // One level further in it is told apart.
    assert_eq!(again(&Json, &Some((None::<u8>,))), Some((None,)));
    assert_eq!(again(&Json, &Thin(None::<u8>)).0, None);
}

#[test]
fn fc82_keys_that_json_has_no_text_for_are_not_written() {
    let keyed = BTreeMap::from([((1, 2), 3)]);
    assert_eq!(written(&Json, &keyed), Err(EncodeError::Unsupported));
    assert_eq!(again(&Postcard, &keyed), keyed);
}

/// Known for losing a bit now and then where a reader rounds on its way.
#[test]
fn fc82_floats_come_back_to_the_last_bit() {
    for float in [
        1_224_939_323_021_545e-31,
        5e-324,
        f64::MAX,
        9_007_199_254_740_993.0,
    ] {
        assert_eq!(again(&Json, &float).to_bits(), float.to_bits());
    }
}

proptest! {
    #[test]
    fn fc82_any_float_comes_back(bits: u64) {
        let float = f64::from_bits(bits);
        match written(&Json, &float) {
            Ok(bytes) => {
                let read: f64 = Json.decode(&bytes).unwrap();
                prop_assert_eq!(read.to_bits(), bits);
            }
            Err(error) => prop_assert!(error == EncodeError::Lossy && !float.is_finite()),
        }
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let json: Result<Deal, _> = Json.decode(&bytes);
        let proto: Result<User, _> = Protobuf.decode(&bytes);
        prop_assert!(json.is_err());
        if let Ok(user) = proto {
            prop_assert_eq!(&again(&Protobuf, &user), &user);
        }
    }
}

#[test]
fn each_codec_has_a_schema_of_its_own() {
    let postcard = Schema::traced::<String>(&Postcard).unwrap();
    let json = Schema::traced::<String>(&Json).unwrap();
    let raw = Schema::traced::<String>(&Raw).unwrap();
    assert!(postcard != json && json != raw && raw != postcard);
    assert_ne!(raw, Schema::traced::<Vec<u8>>(&Raw).unwrap());
    let numbers = [Postcard::ID, Json::ID, Protobuf::ID, Raw::ID];
    assert_eq!(numbers, [1, 2, 3, 4]);
}

/// JSON carries what asks the bytes what they are; only its shape cannot be found.
#[test]
fn json_carries_what_has_no_type() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Any {
        Number(i64),
        Texts(Vec<String>),
        Named { name: String, of: Box<Self> },
    }
    let value = Any::Named {
        name: "n".to_owned(),
        of: Box::new(Any::Texts(vec!["t".to_owned()])),
    };
    assert_eq!(again(&Json, &value), value);
    let error = Format::<Any>::traced(Json).unwrap_err();
    assert_eq!(error.kind(), ShapeErrorKind::SelfDescribing);
    let format = Format::<Any>::new(Json, Schema::numbered(1, Json::ID));
    let labels = Labels::<&str>::default();
    let bytes = format.encode(HERE, Some(&value), Times::default(), &labels);
    let bytes = bytes.unwrap();
    assert_eq!(format.decode(HERE, &bytes).unwrap().value, Some(value));
}

#[test]
fn a_message_does_not_tell_its_shape() {
    let error = Format::<User>::traced(Protobuf).unwrap_err();
    assert_eq!(error.kind(), ShapeErrorKind::Untraced);
    assert!(error.to_string().contains("User"), "{error}");
}

#[test]
fn bug_f3_json_nests_no_deeper_than_is_safe() {
    #[derive(Debug, Serialize, Deserialize)]
    struct Nested(Vec<Self>);
    #[derive(Debug, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Any {
        One(u8),
        Many(Vec<Self>),
    }
    let brackets = |depth| ["[".repeat(depth), "]".repeat(depth)].concat();
    assert!(Codec::<Nested>::decode(&Json, brackets(40).as_bytes()).is_ok());
    assert!(Codec::<Any>::decode(&Json, brackets(40).as_bytes()).is_ok());
    for depth in [121, 100_000] {
        let bytes = brackets(depth);
        let nested: Result<Nested, _> = Json.decode(bytes.as_bytes());
        assert_eq!(nested.unwrap_err(), DecodeError::TooDeep);
        let any: Result<Any, _> = Json.decode(bytes.as_bytes());
        assert_eq!(any.unwrap_err(), DecodeError::TooDeep);
    }
}

#[test]
fn bug_f3_messages_nest_no_deeper_than_is_safe() {
    let mut bytes = Vec::new();
    for _ in 0..20_000 {
        let mut length = Vec::new();
        prost::encode_length_delimiter(bytes.len(), &mut length).unwrap();
        bytes = [vec![0x1a], length, bytes].concat();
    }
    let deep: Result<User, _> = Protobuf.decode(&bytes);
    assert_eq!(deep, Err(DecodeError::Malformed));
}

#[test]
fn more_than_a_value_is_refused() {
    let more: Result<u8, _> = Json.decode(b"7 7");
    assert_eq!(more, Err(DecodeError::Trailing));
    let less: Result<(u8, u8), _> = Json.decode(b"[7");
    assert_eq!(less, Err(DecodeError::Malformed));
    let claimed: Result<User, _> = Protobuf.decode(&[0x12, 0xff, 0xff, 0xff, 0x7f]);
    assert_eq!(claimed, Err(DecodeError::Malformed));
}
