//! Which slot a key lies in.

/// How many slots the keys of a cluster are spread over.
pub(super) const SLOTS: usize = 16_384;

/// The slot of a key, as the specification of Redis Cluster says: CRC-16 (XMODEM) of its hash tag,
/// modulo [`SLOTS`].
pub(super) fn of(key: &[u8]) -> usize {
    usize::from(crc(hashed(key))) % SLOTS
}

/// The text between the first `{` and the first `}` behind it; the whole key, if there is none or
/// it is empty.
fn hashed(key: &[u8]) -> &[u8] {
    let position = |text: &[u8], byte| text.iter().position(|other| *other == byte);
    let tag = position(key, b'{').and_then(|open| {
        let rest = &key[open + 1..];
        position(rest, b'}').map(|close| &rest[..close])
    });
    tag.filter(|tag| !tag.is_empty()).unwrap_or(key)
}

fn crc(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |sum, byte| {
        let [high, _] = u16::to_be_bytes(sum);
        (sum << 8) ^ TABLE[usize::from(high ^ byte)]
    })
}

const TABLE: [u16; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let mut sum = (at as u16) << 8;
        let mut bit = 0;
        while bit < 8 {
            let carry = sum & 0x8000 != 0;
            sum <<= 1;
            if carry {
                sum ^= 0x1021;
            }
            bit += 1;
        }
        table[at] = sum;
        at += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    /// What `CLUSTER KEYSLOT` of Redis 7.0.15 says.
    #[test]
    fn slots_are_those_of_the_server() {
        for (key, slot) in SAID {
            assert_eq!(of(key.as_bytes()), slot, "{key}");
        }
    }

    const SAID: [(&str, usize); 10] = [
        ("", 0),
        ("123456789", 12_739),
        ("foo", 12_182),
        ("{foo}bar", 12_182),
        ("{}foo", 9_500),
        ("a{foo", 113),
        ("a{b}{foo}", 3_300),
        ("{{foo}}", 13_308),
        ("larder:deals:5", 6_900),
        ("{larder:deals}:clear", 10_004),
    ];
}
