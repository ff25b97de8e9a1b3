//! Two versions of a program, whose values differ, and one far store.

use larder_codec::{
    Codec, DecodeError, EncodeError, Format, FrameRef, Labels, Postcard, Refusal, Schema, Shape,
    ShapeError, Times,
};
use larder_core::Address;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

const HERE: Address<'_> = Address::new("deals", b"7");

macro_rules! version {
    ($name:ident { $($field:ident: $type:ty),* }) => {
        mod $name {
            #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
            pub(super) struct Deal { $(pub(super) $field: $type),* }
        }
    };
}

version! { first { id: u64, price: u64, stock: u64 } }
version! { swapped { id: u64, stock: u64, price: u64 } }
version! { fewer { id: u64, price: u64 } }
version! { more { id: u64, price: u64, stock: u64, note: Option<u8> } }
version! { narrower { id: u64, price: u64, stock: u32 } }
version! { optional { id: u64, price: u64, stock: Option<u64> } }
version! { again { id: u64, price: u64, stock: u64 } }

const DEAL: first::Deal = first::Deal {
    id: 7,
    price: 100,
    stock: 3,
};

fn frame() -> Vec<u8> {
    let format = Format::traced(Postcard).unwrap();
    let labels = Labels::<&str>::default();
    format
        .encode(HERE, Some(&DEAL), Times::default(), &labels)
        .unwrap()
}

fn read<V: Serialize + DeserializeOwned + 'static>(bytes: &[u8]) -> Result<Option<V>, Refusal> {
    let format = Format::<V>::traced(Postcard).unwrap();
    format.decode(HERE, bytes).map(|decoded| decoded.value)
}

#[test]
fn bug_f1_cm10_another_layout_is_a_miss() {
    let bytes = frame();
    assert_eq!(read::<swapped::Deal>(&bytes), Err(Refusal::Schema));
    assert_eq!(read::<fewer::Deal>(&bytes).err(), Some(Refusal::Schema));
    assert_eq!(read::<more::Deal>(&bytes).err(), Some(Refusal::Schema));
    assert_eq!(read::<narrower::Deal>(&bytes).err(), Some(Refusal::Schema));
    assert_eq!(read::<optional::Deal>(&bytes).err(), Some(Refusal::Schema));
    assert_eq!(read::<(u64, u64, u64)>(&bytes).err(), Some(Refusal::Schema));
    assert_eq!(
        read::<again::Deal>(&bytes).unwrap(),
        Some(again::Deal {
            id: 7,
            price: 100,
            stock: 3
        })
    );
}

/// What the schema stands between: the codec alone reads other layouts without noticing.
#[test]
fn without_a_schema_the_bytes_would_be_taken_for_the_other_type() {
    let mut payload = Vec::new();
    Postcard.encode(&DEAL, &mut payload).unwrap();
    let wrong: swapped::Deal = Postcard.decode(&payload).unwrap();
    assert_eq!((wrong.stock, wrong.price), (100, 3));
}

#[test]
fn bug_f1_a_new_first_variant_is_a_miss() {
    mod before {
        #[derive(serde::Serialize, serde::Deserialize)]
        pub(super) enum State {
            Open,
            Closed,
        }
    }
    mod after {
        #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        pub(super) enum State {
            New,
            Open,
            Closed,
        }
    }
    let before = Format::<before::State>::traced(Postcard).unwrap();
    let labels = Labels::<&str>::default();
    for (state, taken_for) in [
        (before::State::Open, after::State::New),
        (before::State::Closed, after::State::Open),
    ] {
        let bytes = before
            .encode(HERE, Some(&state), Times::default(), &labels)
            .unwrap();
        assert_eq!(read::<after::State>(&bytes).err(), Some(Refusal::Schema));
        let payload = FrameRef::parse(&bytes).unwrap().payload();
        assert_eq!(Postcard.decode(payload), Ok(taken_for));
    }
}

#[test]
fn the_kinds_of_schema_do_not_meet() {
    let traced = Schema::traced::<u64>(&Postcard).unwrap();
    assert_eq!(traced, Schema::of_shape("u64", Postcard::ID));
    assert_ne!(traced, Schema::of_shape("u64", Postcard::ID + 1));
    let numbered = Schema::numbered(3, Postcard::ID);
    assert_ne!(numbered, Schema::numbered(4, Postcard::ID));
    assert_ne!(numbered, Schema::of_shape("3", Postcard::ID));
    assert_eq!(Schema::from_bits(numbered.bits()), numbered);
}

/// A schema that moves by itself would empty every far store at the next deploy.
#[test]
fn schemas_are_frozen() {
    let traced = Schema::traced::<first::Deal>(&Postcard).unwrap();
    assert_eq!(traced.bits(), 0x0b09_cf44_4281_13b0);
    assert_eq!(
        Schema::numbered(3, Postcard::ID).bits(),
        0x6f68_e754_6e28_4810
    );
}

/// A number that is not changed with the type reads what it can: that is what it is for, and why
/// tracing is the default.
#[test]
fn a_number_is_believed() {
    let format = |number| Format::<u32>::new(Postcard, Schema::numbered(number, Postcard::ID));
    let labels = Labels::<&str>::default();
    let bytes = format(1)
        .encode(HERE, Some(&5), Times::default(), &labels)
        .unwrap();
    let renamed = Format::<u16>::new(Postcard, Schema::numbered(1, Postcard::ID));
    assert_eq!(renamed.decode(HERE, &bytes).unwrap().value, Some(5));
    assert_eq!(format(2).decode(HERE, &bytes).err(), Some(Refusal::Schema));
}

/// Postcard's bytes under another number.
struct Other;

impl<V: Serialize + DeserializeOwned> Codec<V> for Other {
    fn id(&self) -> u8 {
        200
    }

    fn shape(&self) -> Result<Shape, ShapeError> {
        Shape::traced::<V>(false)
    }

    fn encode(&self, value: &V, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        Postcard.encode(value, out)
    }

    fn decode(&self, bytes: &[u8]) -> Result<V, DecodeError> {
        Postcard.decode(bytes)
    }
}

#[test]
fn another_codec_is_a_miss() {
    let labels = Labels::<&str>::default();
    let schema = Schema::numbered(1, Postcard::ID);
    let here = Format::<u32>::new(Postcard, schema);
    let there = Format::<u32>::new(Other, schema);
    let bytes = here
        .encode(HERE, Some(&5), Times::default(), &labels)
        .unwrap();
    assert_eq!(there.decode(HERE, &bytes).err(), Some(Refusal::Codec));
    assert_eq!(here.decode(HERE, &bytes).unwrap().value, Some(5));
    let traced = Schema::traced::<u32>(&Other).unwrap();
    assert_ne!(traced, Schema::traced::<u32>(&Postcard).unwrap());
}

/// Compressed or encrypted by a wrapper that this reader has not.
#[test]
fn a_wrapped_payload_is_a_miss() {
    use larder_codec::{Frame, KeyDigest, Subject};
    let format = Format::<u32>::traced(Postcard).unwrap();
    let subject = Subject {
        key: KeyDigest::new(HERE),
        schema: format.schema(),
        codec: Postcard::ID,
    };
    // Where compression is built in, all readers know it.
    let known = cfg!(feature = "compress");
    for (compressed, encrypted) in [(true, false), (false, true), (true, true)] {
        let frame = Frame::<&str> {
            compressed,
            encrypted,
            ..Frame::new(subject, Times::default())
        };
        let mut bytes = Vec::new();
        frame
            .write_value(&mut bytes, |out| Postcard.encode(&5_u32, out))
            .unwrap();
        let expected = if known && !encrypted {
            Refusal::Expansion
        } else {
            Refusal::Codec
        };
        assert_eq!(format.decode(HERE, &bytes).err(), Some(expected));
    }
}

#[derive(Serialize, Deserialize)]
struct Title(String);

/// Two caches whose values look alike, down to the names.
#[test]
fn another_cache_or_key_is_a_miss() {
    let format = Format::<Title>::traced(Postcard).unwrap();
    let labels = Labels::<&str>::default();
    let title = Title("Lamp".to_owned());
    let bytes = format
        .encode(HERE, Some(&title), Times::default(), &labels)
        .unwrap();
    for elsewhere in [
        ("deals", "8"),
        ("users", "7"),
        ("deals", ""),
        ("deal", "s7"),
    ] {
        let address = Address::new(elsewhere.0, elsewhere.1.as_bytes());
        assert_eq!(format.decode(address, &bytes).err(), Some(Refusal::Key));
    }
    assert_eq!(
        format.decode(HERE, &bytes).unwrap().value.unwrap().0,
        "Lamp"
    );
}
