//! A connection to a real server that does no more than these tests need.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use anyhow::{Context, Result, bail};
use bytes::Bytes;
use larder_redis::Reply;

/// A connection to a real server, by the protocol's second version.
pub(crate) struct Resp(BufReader<UnixStream>);

impl Resp {
    pub(crate) fn connect(socket: &Path) -> Result<Self> {
        Ok(Self(BufReader::new(UnixStream::connect(socket)?)))
    }

    /// Sends commands in one go and gives their replies.
    pub(crate) fn pipeline(&mut self, commands: &[Vec<Bytes>]) -> Result<Vec<Reply>> {
        let mut out = Vec::new();
        for words in commands {
            write!(out, "*{}\r\n", words.len())?;
            for word in words {
                write!(out, "${}\r\n", word.len())?;
                out.extend_from_slice(word);
                out.extend_from_slice(b"\r\n");
            }
        }
        self.0.get_mut().write_all(&out)?;
        commands.iter().map(|_| self.read()).collect()
    }

    /// Sends a command made of plain words.
    pub(crate) fn say(&mut self, words: &str) -> Result<Reply> {
        let words = words.split(' ').map(|word| word.to_owned().into());
        let mut replies = self.pipeline(&[words.collect()])?;
        replies.pop().context("no reply")
    }

    /// The next reply, or the next message.
    pub(crate) fn read(&mut self) -> Result<Reply> {
        let mut line = Vec::new();
        self.0.read_until(b'\n', &mut line)?;
        let line = String::from_utf8(line)?;
        let line = line.trim_end();
        let (kind, rest) = line.split_at_checked(1).context("the server has left")?;
        Ok(match kind {
            "+" => Reply::Status(rest.to_owned()),
            "-" => {
                let (code, text) = rest.split_once(' ').unwrap_or((rest, ""));
                Reply::error(code, text)
            }
            ":" => Reply::Int(rest.parse()?),
            "$" => self.bytes(rest.parse()?)?,
            "*" => self.array(rest.parse()?)?,
            other => bail!("no reply begins with {other:?}"),
        })
    }

    fn bytes(&mut self, length: i64) -> Result<Reply> {
        let Ok(length) = usize::try_from(length) else {
            return Ok(Reply::Nil);
        };
        let mut bytes = vec![0; length + 2];
        self.0.read_exact(&mut bytes)?;
        bytes.truncate(length);
        Ok(Reply::bytes(bytes))
    }

    fn array(&mut self, length: i64) -> Result<Reply> {
        let Ok(length) = usize::try_from(length) else {
            return Ok(Reply::Nil);
        };
        let replies: Result<Vec<_>> = (0..length).map(|_| self.read()).collect();
        Ok(Reply::Array(replies?))
    }
}
