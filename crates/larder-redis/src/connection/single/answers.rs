//! Answers, read from bytes that hold them whole.

use bytes::Bytes;

use crate::wire::Reply;

/// Takes the first answer off `bytes`, which hold it whole, as [`Frames`](super::Frames) has seen.
///
/// `None` if it is of a kind that a server which was never asked for the newer protocol does not
/// send. How deep answers lie in each other is bounded by who has followed them.
pub(super) fn take(bytes: &mut &[u8]) -> Option<Reply> {
    let (kind, rest) = bytes.split_first()?;
    *bytes = rest;
    let line = line(bytes)?;
    match kind {
        b'+' => Some(Reply::Status(text(line))),
        b'-' => {
            let line = text(line);
            let (code, text) = line.split_once(' ').unwrap_or((&line, ""));
            Some(Reply::error(code, text))
        }
        b':' => Some(Reply::Int(number(line)?)),
        b'$' => {
            let Ok(length) = usize::try_from(number(line)?) else {
                return Some(Reply::Nil);
            };
            let (content, rest) = bytes.split_at_checked(length)?;
            *bytes = rest.strip_prefix(b"\r\n")?;
            Some(Reply::Bytes(Bytes::copy_from_slice(content)))
        }
        b'*' => {
            let Ok(count) = usize::try_from(number(line)?) else {
                return Some(Reply::Nil);
            };
            let all: Option<_> = (0..count).map(|_| take(bytes)).collect();
            Some(Reply::Array(all?))
        }
        _ => None,
    }
}

/// Takes a line off, without its end.
fn line<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = bytes.windows(2).position(|two| two == b"\r\n")?;
    let (line, rest) = bytes.split_at(end);
    *bytes = &rest[2..];
    Some(line)
}

fn number(line: &[u8]) -> Option<i64> {
    str::from_utf8(line).ok()?.parse().ok()
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_every_kind_are_read_one_after_another() {
        let mut bytes = &b"+OK\r\n-WRONGTYPE of it\r\n-ODD\r\n:-5\r\n$3\r\na\r\n\r\n$0\r\n\r\n$-1\r\n*-1\r\n*2\r\n*0\r\n:7\r\n"[..];
        let expected = [
            Reply::ok(),
            Reply::error("WRONGTYPE", "of it"),
            Reply::error("ODD", ""),
            Reply::Int(-5),
            Reply::bytes("a\r\n"),
            Reply::bytes(""),
            Reply::Nil,
            Reply::Nil,
            Reply::Array(vec![Reply::Array(Vec::new()), Reply::Int(7)]),
        ];
        for reply in expected {
            assert_eq!(take(&mut bytes), Some(reply));
        }
        assert!(bytes.is_empty());
    }

    #[test]
    fn what_is_of_the_newer_protocol_is_no_answer() {
        for mut bytes in [
            &b">1\r\n+m\r\n"[..],
            b"%1\r\n+k\r\n:1\r\n",
            b"_\r\n",
            b"#t\r\n",
        ] {
            assert_eq!(take(&mut bytes), None);
        }
    }
}
