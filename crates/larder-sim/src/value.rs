//! What the caches hold: values that name the read they came from, in two shapes.

use larder_engine::Series;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The number of a value: each read and each write of the source makes a new one.
pub(crate) type Id = usize;

/// Marks a value's number in the bytes of a frame, whatever lies around it.
const MAGIC: [u8; 8] = *b"\xf5sim\xf7val";

/// The number of a value, to be found again in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark([u8; 8], [u8; 8]);

impl Mark {
    fn of(id: Id) -> Self {
        Self(MAGIC, (id as u64).to_be_bytes())
    }

    fn id(self) -> Id {
        u64::from_be_bytes(self.1) as Id
    }
}

/// The numbers of the values that lie in `bytes`.
pub(crate) fn ids(bytes: &[u8]) -> Vec<Id> {
    let marks = bytes.windows(16).filter(|window| window[..8] == MAGIC);
    let numbers = marks.filter_map(|mark| mark[8..].try_into().ok());
    numbers
        .map(|bytes| u64::from_be_bytes(bytes) as Id)
        .collect()
}

/// An element of a value, where that is loaded as a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) id: Id,
    pub(crate) key: u64,
    pub(crate) at: usize,
}

/// How many elements a value has.
pub(crate) const fn elements(id: Id) -> usize {
    1 + id % 4
}

/// The element of a whole value at this place.
pub(crate) fn element(id: Id, key: u64, at: usize) -> Option<Element> {
    (at < elements(id)).then_some(Element { id, key, at })
}

/// What the source knows a version of a key by.
pub(crate) fn validator(key: u64, version: u64) -> Vec<u8> {
    [key.to_be_bytes(), version.to_be_bytes()].concat()
}

/// A shape of the values: a version of the program.
pub(crate) trait Shape:
    Clone + Serialize + DeserializeOwned + Series<Item = Element>
{
    fn whole(id: Id, key: u64) -> Self;
    fn id(&self) -> Id;
    /// Whether it has all of its elements.
    fn is_whole(&self) -> bool;
}

/// The values of the first version.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct First {
    mark: Mark,
    key: u64,
    elements: usize,
}

/// The values of the second version.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Second {
    key: u64,
    note: Option<String>,
    elements: usize,
    mark: Mark,
}

impl First {
    fn with(id: Id, key: u64, elements: usize) -> Self {
        let mark = Mark::of(id);
        Self {
            mark,
            key,
            elements,
        }
    }
}

impl Second {
    fn with(id: Id, key: u64, elements: usize) -> Self {
        Self {
            key,
            note: None,
            elements,
            mark: Mark::of(id),
        }
    }
}

macro_rules! shapes {
    ($($shape:ident)+) => {$(
        impl Shape for $shape {
            fn whole(id: Id, key: u64) -> Self {
                Self::with(id, key, elements(id))
            }

            fn id(&self) -> Id {
                self.mark.id()
            }

            fn is_whole(&self) -> bool {
                self.elements == elements(self.id())
            }
        }

        impl Series for $shape {
            type Item = Element;

            fn of(items: Vec<Element>) -> Self {
                let first = items.first().expect("no source gives nothing");
                Self::with(first.id, first.key, items.len())
            }

            fn item(&self, at: usize) -> Option<Element> {
                let there = at < self.elements;
                there.then(|| element(self.id(), self.key, at))?
            }
        }
    )+};
}

shapes!(First Second);
