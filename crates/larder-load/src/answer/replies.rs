//! Replies of Redis: counted, not kept.

use std::str;

use super::Whole;
use super::line::{Line, skip};
use crate::failure::Failure;

/// The most replies that one may consist of, those inside counted.
const MOST: u64 = 1 << 32;

/// The replies to one batch of commands, in RESP2.
#[derive(Debug, Clone)]
pub(crate) struct Replies {
    /// How many are still to begin.
    left: u64,
    /// How many bytes of a text are still to come, with the end of its line.
    text: u64,
    line: Line,
    /// The first error among them.
    error: Option<String>,
}

impl Replies {
    pub(super) fn new(commands: usize) -> Self {
        Self {
            left: commands as u64,
            text: 0,
            line: Line::default(),
            error: None,
        }
    }

    pub(super) fn feed(&mut self, mut bytes: &[u8]) -> Result<Option<Whole>, Failure> {
        loop {
            skip(&mut self.text, &mut bytes);
            if self.text > 0 {
                return Ok(None);
            }
            if self.left == 0 {
                return self.whole(bytes).map(Some);
            }
            let Some(begun) = self.line.take(&mut bytes, begin)? else {
                return Ok(None);
            };
            self.left -= 1;
            match begun {
                Begun::Whole => {}
                Begun::Error(word) => {
                    self.error.get_or_insert(word);
                }
                Begun::Text(length) => self.text = length + 2,
                Begun::List(length) => self.left += length,
            }
            if self.left > MOST {
                return Err(Failure::Broken("a list without an end"));
            }
        }
    }

    fn whole(&mut self, rest: &[u8]) -> Result<Whole, Failure> {
        if !rest.is_empty() {
            return Err(Failure::Broken("a reply too much"));
        }
        Ok(Whole {
            verdict: self
                .error
                .take()
                .map_or(Ok(()), |word| Err(Failure::Reply(word))),
            reusable: true,
        })
    }
}

/// What the first line of a reply says.
enum Begun {
    Whole,
    Error(String),
    Text(u64),
    List(u64),
}

fn begin(line: &[u8]) -> Result<Begun, Failure> {
    let broken = Failure::Broken("no reply of Redis");
    let Some((kind, rest)) = line.split_first() else {
        return Err(broken);
    };
    let length = || {
        let number = str::from_utf8(rest)
            .ok()
            .and_then(|text| text.parse::<i64>().ok());
        number.filter(|number| (-1..=MOST as i64).contains(number))
    };
    match kind {
        b'+' | b':' => Ok(Begun::Whole),
        b'-' => Ok(Begun::Error(first_word(rest))),
        b'$' | b'*' => {
            let length = length().ok_or(broken)?;
            // Absent: a length of -1.
            Ok(match u64::try_from(length) {
                Err(_) => Begun::Whole,
                Ok(length) if *kind == b'$' => Begun::Text(length),
                Ok(length) => Begun::List(length),
            })
        }
        _ => Err(broken),
    }
}

/// `WRONGTYPE`, `ERR`, …: what errors are told apart by. The rest may name keys.
fn first_word(text: &[u8]) -> String {
    let letters = text
        .iter()
        .take(24)
        .take_while(|byte| byte.is_ascii_alphanumeric());
    letters.map(|&byte| char::from(byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, fed};
    use super::*;

    fn replies(commands: usize, text: &str) -> Result<Option<Whole>, Failure> {
        fed(|| Answer::redis(commands), text.as_bytes())
    }

    fn good() -> Result<Option<Whole>, Failure> {
        Ok(Some(Whole {
            verdict: Ok(()),
            reusable: true,
        }))
    }

    #[test]
    fn replies_of_every_kind_are_counted() {
        for text in [
            "+OK\r\n",
            ":-17\r\n",
            "$0\r\n\r\n",
            "$5\r\na\r\nbc\r\n",
            "$-1\r\n",
            "*-1\r\n",
            "*0\r\n",
            "*3\r\n$1\r\na\r\n*2\r\n:1\r\n*1\r\n$-1\r\n+b\r\n",
        ] {
            assert_eq!(replies(1, text), good(), "{text:?}");
            assert_eq!(replies(3, &text.repeat(3)), good(), "{text:?}");
            assert_eq!(replies(4, &text.repeat(3)), Ok(None), "{text:?}");
        }
    }

    #[test]
    fn an_error_among_them_is_told_by_its_first_word() {
        let text = "+OK\r\n-WRONGTYPE against the key secret\r\n-ERR other\r\n";
        let whole = replies(3, text).unwrap().unwrap();
        assert_eq!(whole.verdict, Err(Failure::Reply("WRONGTYPE".to_owned())));
        assert!(whole.reusable);
    }

    #[test]
    fn what_is_no_reply_is_broken() {
        for text in [
            "HTTP/1.1 400\r\n",
            "\r\n",
            "$a\r\n",
            "$-2\r\n",
            "*99999999999999\r\n",
            "+OK\r\n+one too much\r\n",
            &"+a".repeat(4096),
        ] {
            let broken = replies(1, text);
            assert!(matches!(broken, Err(Failure::Broken(_))), "{text:?}");
        }
    }
}
