//! Answers, followed byte by byte as they come in.

use std::io;

/// Follows answers as they come in, and refuses what is no answer of Redis, what would be too large
/// and what lies too deep, before anybody takes memory for it.
///
/// It keeps no byte of them: only how many are left of the text or bytes that it is in, and how many
/// answers are missing in each of those around it.
#[derive(Debug)]
pub(super) struct Frames {
    largest: usize,
    most_parts: usize,
    /// Bytes of the answer so far, with those that it has announced.
    size: usize,
    /// Answers in the answer so far, with those that it has announced.
    parts: usize,
    /// How many answers are missing in each that surrounds this one.
    missing: Vec<usize>,
    at: At,
    answers: u64,
}

#[derive(Debug, Clone, Copy)]
enum At {
    /// In front of an answer.
    Kind,
    /// In a line of text.
    Text { end: bool },
    /// In a line with a number, most of which say how much follows: of what, and how much so far.
    Count { kind: u8, sign: bool, count: usize },
    /// In so many bytes.
    Bytes(usize),
}

/// How deep answers may lie in answers. Ours lie three deep.
const DEEPEST: usize = 8;

/// For how many bytes that an answer may have there may be one answer in it: each takes some sixty
/// where it is kept, however small it is.
const PER_PART: usize = 256;

/// How many there may always be: a handshake has dozens.
const LEAST_PARTS: usize = 1 << 10;

impl Frames {
    pub(super) fn new(largest: usize) -> Self {
        Self {
            largest,
            most_parts: (largest / PER_PART).max(LEAST_PARTS),
            size: 0,
            parts: 0,
            missing: Vec::with_capacity(DEEPEST),
            at: At::Kind,
            answers: 0,
        }
    }

    /// Follows the next bytes, and says how many answers they complete.
    ///
    /// # Errors
    /// `InvalidData`: the connection cannot be used any more.
    pub(super) fn follow(&mut self, mut bytes: &[u8]) -> io::Result<u64> {
        let before = self.answers;
        while let Some((first, rest)) = bytes.split_first() {
            bytes = match self.at {
                At::Bytes(left) => {
                    let skipped = left.min(bytes.len());
                    self.at = At::Bytes(left - skipped);
                    if left == skipped {
                        self.end();
                    }
                    &bytes[skipped..]
                }
                _ => {
                    self.grow(1)?;
                    self.step(*first)?;
                    rest
                }
            };
        }
        Ok(self.answers - before)
    }

    fn step(&mut self, byte: u8) -> io::Result<()> {
        match self.at {
            At::Kind => self.at = begin(byte)?,
            At::Text { end: true } if byte == b'\n' => self.end(),
            At::Text { .. } => self.at = At::Text { end: byte == b'\r' },
            At::Count { kind, sign, count } => self.count(kind, sign, count, byte)?,
            At::Bytes(_) => {}
        }
        Ok(())
    }

    fn count(&mut self, kind: u8, sign: bool, count: usize, byte: u8) -> io::Result<()> {
        match byte {
            b'0'..=b'9' => {
                let more = count.checked_mul(10);
                let count = more.and_then(|more| more.checked_add(usize::from(byte - b'0')));
                let count = count.ok_or_else(hostile)?;
                self.at = At::Count { kind, sign, count };
                Ok(())
            }
            b'-' if !sign && count == 0 => {
                let sign = true;
                self.at = At::Count { kind, sign, count };
                Ok(())
            }
            b'\r' => Ok(()),
            b'\n' => self.counted(kind, sign, count),
            _ => Err(hostile()),
        }
    }

    /// The line with the count has ended.
    fn counted(&mut self, kind: u8, sign: bool, count: usize) -> io::Result<()> {
        if kind == b':' {
            self.end();
            return Ok(());
        }
        if sign {
            // `-1` is the nil of older servers, and there is no other.
            if count != 1 || !matches!(kind, b'$' | b'*') {
                return Err(hostile());
            }
            self.end();
            return Ok(());
        }
        if matches!(kind, b'$' | b'=' | b'!') {
            self.grow(count.saturating_add(2))?;
            self.at = At::Bytes(count + 2);
            return Ok(());
        }
        let parts = match kind {
            b'%' => count.saturating_mul(2),
            // Its last is the answer that it is about.
            b'|' => count.saturating_mul(2).saturating_add(1),
            _ => count,
        };
        self.parts = self.parts.saturating_add(parts);
        if self.parts > self.most_parts || parts > self.largest || self.missing.len() >= DEEPEST {
            return Err(hostile());
        }
        self.at = At::Kind;
        if parts == 0 {
            self.end();
        } else {
            self.missing.push(parts);
        }
        Ok(())
    }

    /// An answer has ended, and with it perhaps those around it.
    fn end(&mut self) {
        self.at = At::Kind;
        while let Some(missing) = self.missing.last_mut() {
            *missing -= 1;
            if *missing > 0 {
                return;
            }
            self.missing.pop();
        }
        self.size = 0;
        self.parts = 0;
        self.answers += 1;
    }

    fn grow(&mut self, by: usize) -> io::Result<()> {
        self.size = self.size.saturating_add(by);
        if self.size > self.largest {
            return Err(hostile());
        }
        Ok(())
    }
}

fn begin(kind: u8) -> io::Result<At> {
    match kind {
        b'+' | b'-' | b'_' | b'#' | b',' | b'(' => Ok(At::Text { end: false }),
        b':' | b'$' | b'=' | b'!' | b'*' | b'~' | b'>' | b'%' | b'|' => {
            let (sign, count) = (false, 0);
            Ok(At::Count { kind, sign, count })
        }
        _ => Err(hostile()),
    }
}

fn hostile() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "no answer of Redis, or too large",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(largest: usize, bytes: &[u8]) -> bool {
        let whole = Frames::new(largest).follow(bytes).is_ok();
        let mut frames = Frames::new(largest);
        let split = bytes
            .chunks(1)
            .try_for_each(|one| frames.follow(one).map(drop));
        assert_eq!(whole, split.is_ok(), "however it is split");
        whole
    }

    #[test]
    fn answers_of_every_kind_pass_however_often() {
        let all = b"+OK\r\n-ERR no\r\n:-5\r\n$5\r\n\r\n$9a\r\n$-1\r\n*-1\r\n*0\r\n_\r\n#t\r\n,1.5\r\n(99\r\n\
            *2\r\n$1\r\nx\r\n*1\r\n:1\r\n%1\r\n+k\r\n=5\r\ntxt:a\r\n~1\r\n:1\r\n|1\r\n+a\r\n:1\r\n:2\r\n>1\r\n+m\r\n";
        assert!(passes(64, &all.repeat(100)));
        assert_eq!(Frames::new(64).follow(all).unwrap(), 16);
    }

    #[test]
    fn bug_g13_hostile_answers_end_at_the_byte_that_shows_it() {
        let deep = b"*1\r\n".repeat(100_000);
        let cases: [&[u8]; 11] = [
            b":nine\r\n",
            &deep,
            b"$9999999999\r\n",
            b"*2147483647\r\n",
            b"%2147483647\r\n",
            b"$-7\r\n",
            b"$1x\r\n",
            b"*99999999999999999999999999\r\n",
            b"HTTP/1.1 400 Bad Request\r\n",
            b"\0\0\0\0",
            &b"+".repeat(2000),
        ];
        for case in cases {
            let shown = String::from_utf8_lossy(&case[..case.len().min(20)]);
            assert!(!passes(1 << 10, case), "{shown}");
        }
    }

    #[test]
    fn a_great_many_tiny_answers_in_one_end_before_they_come() {
        let largest = 1 << 20;
        let many = |count: usize| format!("*{count}\r\n{}", ":1\r\n".repeat(count));
        assert!(passes(largest, many(4096).as_bytes()));
        assert!(!passes(largest, b"*4097\r\n"));
        // Also where each of many announces few.
        let some = ["*4\r\n", &many(1024).repeat(4)].concat();
        assert!(!passes(largest, some.as_bytes()));
        let after_another = [many(4096), many(4096)].concat();
        assert!(passes(largest, after_another.as_bytes()));
    }

    #[test]
    fn what_is_too_large_in_all_ends_though_each_part_is_small() {
        let many = [&b"*100\r\n"[..], &b"$8\r\n12345678\r\n".repeat(100)].concat();
        assert!(passes(2000, &many) && !passes(1000, &many));
    }
}
