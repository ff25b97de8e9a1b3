//! What nodes tell each other, as bytes.

use bytes::Bytes;
use larder_core::far::{Change, Message};

/// What arrived on a cache's channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heard {
    /// A change was made.
    Change(Message),
    /// A load of the key with this digest has ended.
    Wake(u64),
    /// Something of a form that this version does not know: it may have named anything.
    Unknown,
}

/// A message up to its number, which the server adds as decimal text: version, kind, then node and
/// digest, 8 bytes each, little-endian.
pub(crate) fn change(node: u64, change: Change) -> Bytes {
    match change {
        Change::Key(digest) => head(KEY, node, digest),
        Change::Expired(digest) => head(EXPIRED, node, digest),
        Change::Tag(digest) => head(TAG, node, digest),
        Change::All => head(ALL, node, 0),
    }
}

/// A wake: as a message, without a number.
pub(crate) fn wake(node: u64, key: u64) -> Bytes {
    head(WAKE, node, key)
}

/// What these bytes tell. A kind that is not known is a change of everything.
pub(crate) fn hear(bytes: &[u8]) -> Heard {
    let heard = bytes.split_first_chunk::<HEAD>();
    let known = heard.and_then(|(head, number)| read(head, number));
    known.unwrap_or(Heard::Unknown)
}

fn read(head: &[u8; HEAD], number: &[u8]) -> Option<Heard> {
    let [VERSION, kind, rest @ ..] = head else {
        return None;
    };
    let (node, digest) = rest.split_first_chunk()?;
    let digest = u64::from_le_bytes(digest.try_into().ok()?);
    let change = match *kind {
        WAKE => return number.is_empty().then_some(Heard::Wake(digest)),
        KEY => Change::Key(digest),
        EXPIRED => Change::Expired(digest),
        TAG => Change::Tag(digest),
        _ => Change::All,
    };
    Some(Heard::Change(Message {
        node: u64::from_le_bytes(*node),
        number: std::str::from_utf8(number).ok()?.parse().ok()?,
        change,
    }))
}

const VERSION: u8 = 1;
const HEAD: usize = 18;
const KEY: u8 = b'k';
const EXPIRED: u8 = b'e';
const TAG: u8 = b't';
const ALL: u8 = b'a';
const WAKE: u8 = b'w';

fn head(kind: u8, node: u64, digest: u64) -> Bytes {
    let mut bytes = Vec::with_capacity(HEAD);
    bytes.extend_from_slice(&[VERSION, kind]);
    bytes.extend_from_slice(&node.to_le_bytes());
    bytes.extend_from_slice(&digest.to_le_bytes());
    bytes.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: u64 = 0x0102_0304_0506_0708;
    const DIGEST: u64 = 0x1112_1314_1516_1718;
    const CHANGES: [(u8, Change); 4] = [
        (b'k', Change::Key(DIGEST)),
        (b'e', Change::Expired(DIGEST)),
        (b't', Change::Tag(DIGEST)),
        (b'a', Change::All),
    ];

    #[test]
    fn messages_are_frozen() {
        let nodes = [8, 7, 6, 5, 4, 3, 2, 1];
        let digest = [0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11];
        for (kind, told) in CHANGES {
            let digest = if told == Change::All { [0; 8] } else { digest };
            let bytes = [&[1, kind][..], &nodes, &digest].concat();
            assert_eq!(change(NODE, told), bytes);
        }
        let bytes = [&[1, b'w'][..], &nodes, &digest].concat();
        assert_eq!(wake(NODE, DIGEST), bytes);
    }

    #[test]
    fn messages_come_back_with_their_number() {
        for (_, told) in CHANGES {
            let sent = [&change(NODE, told)[..], b"9223372036854775807"].concat();
            let message = Message {
                node: NODE,
                number: i64::MAX as u64,
                change: told,
            };
            assert_eq!(hear(&sent), Heard::Change(message));
        }
        assert_eq!(hear(&wake(NODE, DIGEST)), Heard::Wake(DIGEST));
    }

    #[test]
    fn an_unknown_kind_is_a_change_of_everything() {
        let mut sent = [&change(NODE, Change::All)[..], b"5"].concat();
        sent[1] = b'z';
        assert!(matches!(
            hear(&sent),
            Heard::Change(Message {
                number: 5,
                change: Change::All,
                ..
            })
        ));
    }

    #[test]
    fn what_is_no_message_is_unknown() {
        let whole = [&change(NODE, Change::All)[..], b"5"].concat();
        let mut other = whole.clone();
        other[0] = 2;
        let long = [&whole[..], b"x"].concat();
        let waking = [&wake(NODE, DIGEST)[..], b"5"].concat();
        for bytes in [
            &b""[..],
            b"1",
            &whole[..17],
            &whole[..18],
            &other,
            &long,
            &waking,
        ] {
            assert_eq!(hear(bytes), Heard::Unknown);
        }
    }
}
