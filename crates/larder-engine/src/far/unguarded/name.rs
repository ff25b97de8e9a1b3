//! What an entry and a barrier are called in the store.

use std::borrow::Cow;

use larder_core::digest;

/// The barrier of all entries of a cache.
pub(super) fn clear() -> u64 {
    digest(b"clear")
}

/// The barrier that every tag drops too, for loads that learn a tag only from their value.
pub(super) fn any() -> u64 {
    digest(b"any")
}

/// The barrier of a tag, whatever its text.
pub(super) fn tag(tag: &str) -> u64 {
    digest(["tag:", tag].concat().as_bytes())
}

/// The key of a barrier's token.
pub(super) fn of_barrier(name: u64) -> Cow<'static, [u8]> {
    Cow::Owned(format!(":{name:016x}").into_bytes())
}

/// The key of an entry: its own, unless that could be a barrier's.
pub(super) fn of_entry(key: &[u8]) -> Cow<'_, [u8]> {
    match key {
        [b':', ..] => Cow::Owned([b":", key].concat()),
        _ => Cow::Borrowed(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_share_nothing() {
        let barriers = [
            clear(),
            any(),
            tag(""),
            tag("clear"),
            tag("any"),
            tag("tag:"),
        ];
        let barriers = barriers.map(|name| of_barrier(name).into_owned());
        let mut keys: Vec<Vec<u8>> = ["", "5", ":", "::", ":5", "::5", "clear"]
            .map(|key| key.as_bytes().to_vec())
            .to_vec();
        keys.extend(barriers.clone());
        let entries = keys.iter().map(|key| of_entry(key).into_owned());
        let mut names: Vec<Vec<u8>> = entries.chain(barriers).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn names_are_frozen() {
        assert_eq!(&*of_barrier(clear()), b":d1a54ca18b0850f7");
        assert_eq!(&*of_barrier(tag("a")), b":024bfa8804010ef0");
        assert_eq!(&*of_entry(b"5"), b"5");
        assert_eq!(&*of_entry(b":5"), b"::5");
    }
}
