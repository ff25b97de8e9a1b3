//! Bytes in the store that nobody wrote for the key.

use bytes::Bytes;
use larder_codec::{Postcard, Schema};
use larder_core::far::{Guarded, Part, Space, Stored, Want};

use super::rig::Pair;
use crate::support::TTL;

/// Puts bytes in the place of a value, as another program or a broken disk does.
pub(crate) struct Saboteur {
    pub(crate) pair: Pair,
    space: Space,
}

impl Saboteur {
    pub(crate) fn new() -> Self {
        let schema = Schema::traced::<u64>(&Postcard).unwrap();
        Self {
            pair: Pair::new(),
            space: Space::new("numbers".into(), 1, schema.bits()),
        }
    }

    fn frame(&self) -> Bytes {
        self.pair.fill_far();
        let read = async {
            let keys = [b"1".as_ref()];
            let read = self.pair.shelf.read(&self.space, &keys, &[], Want::Look);
            read.await.unwrap().remove(0)
        };
        self.pair.time.block_on(read).found.unwrap().bytes
    }

    pub(crate) fn plant(&self, bytes: Bytes) {
        let (shelf, space) = (&self.pair.shelf, &self.space);
        let stored = self.pair.time.block_on(async {
            shelf.invalidate(space, &[b"1"]).await.unwrap();
            let read = shelf.read(space, &[b"1"], &[], Want::Load).await.unwrap();
            let ticket = read[0].ticket.clone().unwrap();
            let part = Part {
                bytes,
                tags: &[],
                ends: TTL,
            };
            shelf.store_if(space, b"1", &ticket, part).await.unwrap()
        });
        assert_eq!(stored, Stored::Stored);
    }

    /// The call gets what is loaded, and the bytes give way to it.
    fn is_harmless(&self, bytes: Bytes, what: &str) {
        self.plant(bytes);
        let new = self.pair.source.change();
        let before = self.pair.one.numbers.stats().far_tier.unwrap().undecodable;
        assert_eq!(self.pair.held(), None, "{what}");
        assert_eq!(self.pair.fetch(), new, "{what}");
        let after = self.pair.one.numbers.stats().far_tier.unwrap().undecodable;
        assert_eq!(after, before + 2, "{what}: a get and a load have met it");
        assert_eq!(self.pair.two.held(&self.pair.time), Some(new), "{what}");
    }
}

#[test]
fn bug_f3_corrupt_bytes_are_loaded_over_and_counted() {
    let saboteur = Saboteur::new();
    let frame = saboteur.frame();
    for length in 0..frame.len() {
        saboteur.is_harmless(frame.slice(..length), "cut");
    }
    for bit in 0..8 * frame.len() {
        let mut flipped = frame.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        saboteur.is_harmless(flipped.into(), "flipped");
    }
    let longer = [frame.as_ref(), b"abc"].concat();
    saboteur.is_harmless(longer.into(), "appended");
    let noise: Vec<u8> = (0..10_000_u32)
        .map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    saboteur.is_harmless(noise.into(), "noise");
    saboteur.is_harmless(vec![0xff; 10_000].into(), "huge lengths");
}

#[test]
fn bug_f3_the_frame_of_another_key_is_no_value_of_this_one() {
    let saboteur = Saboteur::new();
    let pair = &saboteur.pair;
    let _ = pair.time.block_on(pair.two.numbers.put(&2, 77));
    let read = async {
        let keys = [b"2".as_ref()];
        let read = pair.shelf.read(&saboteur.space, &keys, &[], Want::Look);
        read.await.unwrap().remove(0)
    };
    let other = pair.time.block_on(read).found.unwrap().bytes;
    saboteur.is_harmless(other, "of key 2");
}
