//! Which master serves which slot.

use larder_core::far::FarError;

use super::place::Place;
use super::slot::SLOTS;
use crate::replies::{array, int, out_of_step};
use crate::wire::Reply;

/// Which master serves which slot, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SlotMap {
    /// In the order of their lowest slots, so that who takes over from another takes its number too.
    masters: Vec<Place>,
    /// For each slot, which of the masters.
    of: Vec<Option<usize>>,
}

impl Default for SlotMap {
    /// Nobody serves anything.
    fn default() -> Self {
        let masters = Vec::new();
        let of = vec![None; SLOTS];
        Self { masters, of }
    }
}

impl SlotMap {
    /// Reads the answer to `CLUSTER SLOTS` of the node at `asked`.
    ///
    /// # Errors
    /// It is no such answer.
    pub(super) fn read(reply: Reply, asked: &Place) -> Result<Self, FarError> {
        let mut ranges = Vec::new();
        for range in array(reply)? {
            ranges.push(range_of(range, asked)?);
        }
        ranges.sort_by_key(|(first, ..)| *first);
        let mut map = Self::default();
        for (first, last, master) in ranges {
            let number = map.number(master);
            map.of[first..=last].fill(Some(number));
        }
        Ok(map)
    }

    /// Who serves a slot; `None`: nobody.
    pub(super) fn of(&self, slot: usize) -> Option<&Place> {
        self.of[slot].map(|number| &self.masters[number])
    }

    /// The lowest slot that a master serves.
    pub(super) fn first_of(&self, master: &Place) -> Option<u16> {
        let number = self.masters.iter().position(|one| one == master)?;
        let slot = self.of.iter().position(|of| *of == Some(number))?;
        u16::try_from(slot).ok()
    }

    /// All masters that serve slots.
    pub(super) fn masters(&self) -> &[Place] {
        &self.masters
    }

    /// Notes that a slot is another's.
    pub(super) fn moved(&mut self, slot: usize, to: Place) {
        let number = self.number(to);
        self.of[slot] = Some(number);
    }

    fn number(&mut self, master: Place) -> usize {
        let known = self.masters.iter().position(|other| *other == master);
        known.unwrap_or_else(|| {
            self.masters.push(master);
            self.masters.len() - 1
        })
    }
}

/// The first and the last slot of a range, and its master.
fn range_of(range: Reply, asked: &Place) -> Result<(usize, usize, Place), FarError> {
    let mut words = array(range)?.into_iter();
    let mut next = || words.next().ok_or_else(out_of_step);
    let (first, last) = (number(&next()?)?, number(&next()?)?);
    let mut master = array(next()?)?.into_iter();
    let (host, port) = (master.next(), master.next());
    let host = match host {
        // Who has not heard of itself from others does not know its name.
        Some(Reply::Nil) => String::new(),
        Some(Reply::Bytes(host)) => String::from_utf8(host.into()).map_err(|_| out_of_step())?,
        _ => return Err(out_of_step()),
    };
    let port = port.as_ref().ok_or_else(out_of_step).and_then(number)?;
    let port = u16::try_from(port).map_err(|_| out_of_step())?;
    if first > last || last >= SLOTS {
        return Err(out_of_step());
    }
    Ok((first, last, Place::named(&host, port, asked)))
}

fn number(reply: &Reply) -> Result<usize, FarError> {
    usize::try_from(int(reply)?).map_err(|_| out_of_step())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(port: u16) -> Place {
        let host = "h".to_owned();
        Place { host, port }
    }

    fn range(first: i64, last: i64, host: Reply, port: i64) -> Reply {
        let id = Reply::bytes("0123");
        let node = Reply::Array(vec![host, Reply::Int(port), id]);
        let replica = node.clone();
        Reply::Array(vec![Reply::Int(first), Reply::Int(last), node, replica])
    }

    fn read(ranges: Vec<Reply>) -> Result<SlotMap, FarError> {
        SlotMap::read(Reply::Array(ranges), &place(1))
    }

    #[test]
    fn masters_are_counted_by_their_lowest_slot() {
        let host = || Reply::bytes("h");
        let map = read(vec![
            range(12_000, 12_999, host(), 7),
            range(9_000, 11_999, host(), 8),
            range(0, 100, Reply::Nil, 7),
        ]);
        let map = map.unwrap();
        assert_eq!(map.masters(), [place(7), place(8)]);
        assert_eq!(map.of(12_182), Some(&place(7)));
        assert_eq!(map.of(9_500), Some(&place(8)));
        assert_eq!(map.of(3_300), None);
    }

    #[test]
    fn a_slot_that_moves_takes_no_other_along() {
        let mut map = read(vec![range(0, 16_383, Reply::bytes("h"), 7)]).unwrap();
        map.moved(12_182, place(9));
        assert_eq!(map.of(12_182), Some(&place(9)));
        assert_eq!(map.of(9_500), Some(&place(7)));
        assert_eq!(map.masters(), [place(7), place(9)]);
    }

    #[test]
    fn what_is_no_map_is_an_error() {
        let host = || Reply::bytes("h");
        let odd = [
            Reply::Nil,
            Reply::Array(vec![]),
            range(5, 4, host(), 7),
            range(0, 16_384, host(), 7),
            range(-1, 4, host(), 7),
            range(0, 4, host(), 65_536),
            range(0, 4, Reply::Int(1), 7),
            range(0, 4, Reply::bytes(&b"\xff"[..]), 7),
        ];
        for range in odd {
            assert!(read(vec![range.clone()]).is_err(), "{range:?}");
        }
        assert!(SlotMap::read(Reply::ok(), &place(1)).is_err());
    }
}
