//! What the adapter's keys and channels are called.

mod named;

use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

pub(crate) use named::Named;

/// Every byte outside `A-Za-z0-9._-`: what is left is part of no pattern and no hash tag.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'_').remove(b'-');

/// The names of one cache. No two caches share one, whatever they are called, and no key's text can
/// make the name of a barrier.
///
/// - `prefix:cache:key` an entry, `prefix:cache=key` plain bytes: each in a slot of its own.
/// - `{prefix:cache}:clear`, `:any`, `:tag:0123456789abcdef`, `:number`: all in one slot.
/// - `{prefix:cache}:messages`, a channel.
#[derive(Debug)]
pub(crate) struct Names {
    /// `prefix:cache`.
    root: String,
    /// Of the barriers that each read asks for.
    clear: Bytes,
    any: Bytes,
}

/// A token that many entries share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Barrier {
    /// Of all entries of the cache.
    Clear,
    /// Raised by every tag, for loads that learn a tag only from their value.
    Any,
    /// Of the entries with the tag of this digest.
    Tag(u64),
}

impl Names {
    /// Those of `cache` under `prefix`, both any text.
    pub(crate) fn new(prefix: &str, cache: &str) -> Self {
        let escaped = |text| utf8_percent_encode(text, ESCAPED);
        let root = format!("{}:{}", escaped(prefix), escaped(cache));
        Self {
            clear: shared(&root, "clear"),
            any: shared(&root, "any"),
            root,
        }
    }

    pub(crate) fn entry(&self, key: &[u8]) -> Bytes {
        self.own(b':', key)
    }

    pub(crate) fn plain(&self, key: &[u8]) -> Bytes {
        self.own(b'=', key)
    }

    pub(crate) fn barrier(&self, barrier: Barrier) -> Bytes {
        match barrier {
            Barrier::Clear => self.clear.clone(),
            Barrier::Any => self.any.clone(),
            Barrier::Tag(digest) => self.shared(&format!("tag:{digest:016x}")),
        }
    }

    pub(crate) fn number(&self) -> Bytes {
        self.shared("number")
    }

    pub(crate) fn channel(&self) -> Bytes {
        self.shared("messages")
    }

    /// What one of those who wait for replicas writes to wait for.
    pub(crate) fn waited(&self, who: u64) -> Bytes {
        self.shared(&format!("waited:{who:016x}"))
    }

    /// A pattern that all keys of the cache match, and perhaps some others.
    pub(crate) fn pattern(&self) -> Bytes {
        format!("*{}[}}:=]*", self.root).into()
    }

    /// Whether a key is one of the cache's.
    pub(crate) fn owns(&self, key: &[u8]) -> bool {
        let root = self.root.as_bytes();
        match key.strip_prefix(b"{") {
            Some(shared) => follows(shared, root, b"}"),
            None => follows(key, root, b":="),
        }
    }

    fn own(&self, kind: u8, key: &[u8]) -> Bytes {
        let mut name = Vec::with_capacity(self.root.len() + 1 + key.len());
        name.extend_from_slice(self.root.as_bytes());
        name.push(kind);
        name.extend_from_slice(key);
        name.into()
    }

    fn shared(&self, rest: &str) -> Bytes {
        shared(&self.root, rest)
    }
}

fn shared(root: &str, rest: &str) -> Bytes {
    ["{", root, "}:", rest].concat().into()
}

fn follows(key: &[u8], root: &[u8], any: &[u8]) -> bool {
    let rest = key.strip_prefix(root).and_then(<[u8]>::first);
    rest.is_some_and(|next| any.contains(next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_frozen() {
        let names = Names::new("larder", "deals");
        let tag = Barrier::Tag(0xa1);
        for (name, wanted) in [
            (names.entry(b"5,de"), "larder:deals:5,de"),
            (names.plain(b"5"), "larder:deals=5"),
            (names.barrier(Barrier::Clear), "{larder:deals}:clear"),
            (names.barrier(Barrier::Any), "{larder:deals}:any"),
            (names.barrier(tag), "{larder:deals}:tag:00000000000000a1"),
            (names.number(), "{larder:deals}:number"),
            (names.channel(), "{larder:deals}:messages"),
            (names.pattern(), "*larder:deals[}:=]*"),
        ] {
            assert_eq!(name, wanted);
        }
        let odd = Names::new("a:b", "c*{\u{e4}}");
        assert_eq!(odd.entry(b"*"), "a%3Ab:c%2A%7B%C3%A4%7D:*");
    }

    #[test]
    fn sp58_names_share_nothing() {
        let caches = [
            "",
            "cat",
            "cat1",
            "cat:",
            "cat=",
            "{cat}",
            "cat}",
            "cat:clear",
        ];
        let all = caches.map(|cache| Names::new("", cache));
        let keys: [&[u8]; 5] = [b"", b":", b"clear", b"}:clear", b"\xff"];
        for (at, names) in all.iter().enumerate() {
            let tag = Barrier::Tag(1);
            let barriers = [Barrier::Clear, Barrier::Any, tag].map(|one| names.barrier(one));
            let own = keys.map(|key| names.entry(key));
            let plain = keys.map(|key| names.plain(key));
            let mut kept = [&own[..], &plain, &barriers, &[names.number()]].concat();
            for (other, names) in all.iter().enumerate() {
                assert!(kept.iter().all(|key| names.owns(key) == (other == at)));
            }
            kept.sort();
            kept.dedup();
            assert_eq!(kept.len(), 14);
        }
    }
}
