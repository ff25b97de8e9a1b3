//! What the caches hold: values that name the read they came from, in two shapes.

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

/// A shape of the values: a version of the program.
pub(crate) trait Shape:
    Clone + Serialize + DeserializeOwned + Send + Sync + 'static
{
    fn of(id: Id, key: u64) -> Self;
    fn id(&self) -> Id;
}

/// The values of the first version.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct First {
    mark: Mark,
    key: u64,
}

/// The values of the second version.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Second {
    key: u64,
    note: Option<String>,
    mark: Mark,
}

impl Shape for First {
    fn of(id: Id, key: u64) -> Self {
        let mark = Mark::of(id);
        Self { mark, key }
    }

    fn id(&self) -> Id {
        self.mark.id()
    }
}

impl Shape for Second {
    fn of(id: Id, key: u64) -> Self {
        Self {
            key,
            note: None,
            mark: Mark::of(id),
        }
    }

    fn id(&self) -> Id {
        self.mark.id()
    }
}
