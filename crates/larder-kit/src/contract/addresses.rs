//! Odd names and keys.

use larder_core::{Address, Removed, Store};

use super::Verdict;
use super::place::{HOUR, Place, same};

const CACHES: [&str; 8] = ["", "a", "a:b", "a:b:", "A", "*", "{a}", "a\u{0}b"];

/// Keys that are equal to others in part, once joined with a name, or once taken for text.
const KEYS: [&[u8]; 24] = [
    b"",
    b"a",
    b"ab",
    b"b",
    b":",
    b":b",
    b"b:",
    b"a:b",
    b"c",
    b"b:c",
    b"A",
    b"\0",
    b"a\0",
    b"\0b",
    b"\xff",
    b"\xfe",
    "\u{fffd}".as_bytes(),
    b" ",
    b"a ",
    b"*",
    b"{a}",
    b"a\r\nDEL a\r\n",
    "\u{e9}".as_bytes(),
    "e\u{301}".as_bytes(),
];

/// Three keys that differ in the last of 64 KiB and one byte.
fn long_keys() -> [Vec<u8>; 3] {
    let long = vec![b'x'; 64 * 1024];
    [[&long[..], b"y"].concat(), [&long[..], b"z"].concat(), long]
}

pub(super) async fn addresses_share_nothing<S: Store>(place: &Place<S>) -> Verdict {
    let long = long_keys();
    let pairs = CACHES
        .iter()
        .flat_map(|cache| KEYS.map(|key| Address::new(cache, key)));
    let all: Vec<_> = pairs
        .chain(long.iter().map(|key| Address::new("a", key)))
        .collect();
    for (number, &address) in all.iter().enumerate() {
        place.put(address, number.to_string(), HOUR).await?;
    }
    for (number, &address) in all.iter().enumerate() {
        let when = format!("at {}, which shares nothing with others", name(address));
        place
            .holds(address, number.to_string().as_bytes(), &when)
            .await?;
    }
    for &address in &all {
        let when = format!("for {}, of which nothing was removed before", name(address));
        same(&place.remove(address).await?, &Removed::Removed, &when)?;
    }
    Ok(())
}

fn name(address: Address<'_>) -> String {
    let key = address.key();
    let start = String::from_utf8_lossy(&key[..key.len().min(16)]);
    format!("{:?} {start:?} ({} bytes)", address.cache(), key.len())
}
