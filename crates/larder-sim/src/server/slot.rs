//! Which part of a cluster a name belongs to.

/// The slot of a name, by the rule of the cluster specification: CRC-16 (XMODEM) of what stands
/// between the first `{` and the next `}`, or of the whole name if that is nothing.
pub(crate) fn slot(name: &[u8]) -> u16 {
    crc(hashed(name)) % SLOTS
}

/// Which of the masters holds a name: each has as many slots as the others.
pub(super) fn master(name: &[u8]) -> usize {
    usize::from(slot(name)) * MASTERS / usize::from(SLOTS)
}

/// How many masters a cluster has: the fewest that a real one takes.
pub(super) const MASTERS: usize = 3;

const SLOTS: u16 = 16_384;

fn hashed(name: &[u8]) -> &[u8] {
    let tagged = || {
        let open = name.iter().position(|byte| *byte == b'{')?;
        let rest = &name[open + 1..];
        let length = rest.iter().position(|byte| *byte == b'}')?;
        (length > 0).then(|| &rest[..length])
    };
    tagged().unwrap_or(name)
}

fn crc(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, byte| {
        (0..8).fold(crc ^ u16::from(*byte) << 8, |crc, _| {
            crc << 1 ^ if crc & 0x8000 == 0 { 0 } else { 0x1021 }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_those_of_the_specification() {
        assert_eq!(crc(b"123456789"), 0x31c3);
        assert_eq!(slot(b"foo"), 12_182);
        assert_eq!(slot(b"{foo}:bar"), slot(b"foo"));
        assert_eq!(slot(b"a{foo}{bar}"), slot(b"foo"));
        for whole in [&b"{}foo"[..], b"{foo", b"foo}"] {
            assert_eq!(hashed(whole), whole);
        }
    }
}
