//! Frames by every codec, compressed and encrypted, as they were written once.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use larder_codec::{Codec, Format, Json, Keys, Labels, Postcard, Protobuf, Raw, Schema, Times};
use larder_core::Address;

use super::codecs::{Deal, User, deal, user};
use super::hex;

const FILE: &str = include_str!("../golden/codecs.txt");
const HERE: Address<'_> = Address::new("golden", b"7");
const TAGS: Labels<'_> = Labels {
    tags: &["shelf"],
    validator: None,
};

fn golden(name: &str) -> Vec<u8> {
    let line = FILE
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
    hex::bytes(line.unwrap_or_default())
}

fn times() -> Times {
    Times {
        ttl: Duration::from_secs(300),
        ..Times::default()
    }
}

fn by<V>(codec: impl Codec<V> + 'static) -> Format<V> {
    let schema = Schema::numbered(1, codec.id());
    Format::new(codec, schema)
}

fn long() -> String {
    "a long text, ".repeat(20)
}

fn keys() -> Arc<Keys> {
    Arc::new(Keys::new(9, std::array::from_fn(|at| at as u8)))
}

/// Written and read as ever.
fn is_golden<V: PartialEq + std::fmt::Debug>(name: &str, format: &Format<V>, value: &V) {
    let bytes = format.encode(HERE, Some(value), times(), &TAGS).unwrap();
    assert_eq!(hex::text(&bytes), hex::text(&golden(name)), "{name}");
    is_read(name, format, Some(value));
}

fn is_read<V: PartialEq + std::fmt::Debug>(name: &str, format: &Format<V>, value: Option<&V>) {
    let bytes = golden(name);
    let read = format.decode(HERE, &bytes).unwrap();
    assert_eq!(read.value.as_ref(), value, "{name}");
    assert_eq!(read.frame.times(), times().rounded(), "{name}");
    assert_eq!(read.frame.tags().collect::<Vec<_>>(), ["shelf"], "{name}");
}

#[test]
fn fc81_every_codec_writes_and_reads_as_ever() {
    is_golden::<Deal>("postcard", &by(Postcard), &deal());
    is_golden::<Deal>("json", &by(Json), &deal());
    is_golden::<User>("protobuf", &by(Protobuf), &user());
    is_golden("raw-bytes", &by(Raw), &Bytes::from_static(&[0, 255]));
    is_golden("raw-text", &by(Raw), &"größe".to_owned());
}

#[test]
fn fc81_compressed_frames_are_written_and_read_as_ever() {
    is_golden("compressed", &by(Raw).compressed(64), &long());
    is_read("compressed", &by(Raw), Some(&long()));
}

/// They are never written twice the same: each has a nonce of its own.
#[test]
fn fc81_encrypted_frames_are_read_as_ever() {
    let format = by::<String>(Raw).encrypted(keys());
    is_read("encrypted", &format, Some(&"secret".to_owned()));
    is_read("encrypted-absence", &format, None);
    is_read("both", &format, Some(&long()));
}
