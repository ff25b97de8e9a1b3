//! What this node has written itself.

use std::sync::{Mutex, MutexGuard, PoisonError};

use larder_core::container::Token;

/// What this node has written to entries and not been told of yet: a server tells who watches a key
/// of every write to it, and does not say whose it was.
///
/// A fixed number of places, by key. One that is taken for another key is forgotten, and what is not
/// known here counts as written by somebody else.
pub(super) struct Own(Mutex<Box<[Written]>>);

#[derive(Clone, Copy)]
struct Written {
    key: u64,
    /// What the entry begins with after the last write, and after the one before.
    tokens: [Token; 2],
    /// How many writes are still to be told.
    due: u8,
}

/// About 48 bytes each.
const PLACES: usize = 1024;

impl Default for Own {
    fn default() -> Self {
        let nothing = Written {
            key: 0,
            tokens: [Token::new([0; 16]); 2],
            due: 0,
        };
        Self(Mutex::new(vec![nothing; PLACES].into()))
    }
}

impl Own {
    /// The entry of a key that is missing is about to be made, with this token. What was written
    /// before that was told when it went missing, or before.
    pub(super) fn makes(&self, key: u64, token: Token) {
        self.with(key, |place| {
            *place = Written {
                key,
                tokens: [token; 2],
                due: 1,
            };
        });
    }

    /// The entry of a key is about to be written, and begins with this token then.
    pub(super) fn writes(&self, key: u64, token: Token) {
        self.with(key, |place| {
            let (before, due) = if place.key == key {
                (place.tokens[0], place.due)
            } else {
                (token, 0)
            };
            *place = Written {
                key,
                tokens: [token, before],
                due: due.saturating_add(1),
            };
        });
    }

    /// The last write that was announced for the key was none.
    pub(super) fn wrote_nothing(&self, key: u64) {
        self.told(key);
    }

    /// The server tells of a write to this key: whether it may be this node's, if the entry
    /// [is](Self::is) as it was left.
    ///
    /// Never more often than this node has written: a write of somebody else that is told between two
    /// own ones is one too many, whatever lies under the key by now.
    pub(super) fn told(&self, key: u64) -> bool {
        self.with(key, |place| {
            let due = place.key == key && place.due > 0;
            place.due -= u8::from(due);
            due
        })
    }

    /// Whether an entry that begins so is as this node wrote it last, or before that.
    pub(super) fn is(&self, key: u64, head: &[u8]) -> bool {
        self.with(key, |place| {
            let is = |token: &Token| *head == token.bytes()[..];
            place.key == key && place.tokens.iter().any(is)
        })
    }

    fn with<T>(&self, key: u64, act: impl FnOnce(&mut Written) -> T) -> T {
        let mut places = self.lock();
        act(&mut places[key as usize % PLACES])
    }

    fn lock(&self) -> MutexGuard<'_, Box<[Written]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(byte: u8) -> Token {
        Token::new([byte; 16])
    }

    #[test]
    fn each_own_write_is_told_once() {
        let own = Own::default();
        assert!(!own.told(5));
        own.makes(5, token(1));
        own.writes(5, token(2));
        assert!(own.told(5) && own.told(5));
        assert!(!own.told(5), "a third was somebody else's");
    }

    #[test]
    fn an_entry_is_as_it_was_left_by_the_last_write_or_the_one_before() {
        let own = Own::default();
        own.makes(5, token(1));
        own.writes(5, token(2));
        let is = |byte: u8| own.is(5, &[byte; 16]);
        assert!(is(1) && is(2), "the last may be on its way");
        own.writes(5, token(3));
        assert!(!is(1) && is(2) && is(3));
        assert!(!own.is(5, b"") && !own.is(6, &[3; 16]));
    }

    #[test]
    fn to_make_forgets_what_was_written_before() {
        let own = Own::default();
        own.writes(5, token(1));
        own.makes(5, token(2));
        assert!(!own.is(5, &[1; 16]));
        assert!(own.told(5));
        assert!(!own.told(5));
    }

    #[test]
    fn a_write_that_was_none_is_not_waited_for() {
        let own = Own::default();
        own.makes(5, token(1));
        own.wrote_nothing(5);
        assert!(!own.told(5));
        own.wrote_nothing(5);
        own.writes(5, token(2));
        assert!(own.told(5));
    }

    #[test]
    fn a_place_that_another_key_takes_is_forgotten() {
        let own = Own::default();
        let other = 5 + PLACES as u64;
        own.makes(5, token(1));
        own.writes(other, token(2));
        assert!(!own.told(5) && !own.is(5, &[1; 16]));
        assert!(own.told(other));
    }
}
