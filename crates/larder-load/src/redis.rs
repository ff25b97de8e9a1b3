//! A Redis server as a target.

use crate::Problem;
use crate::address::Address;
use crate::answer::Answer;
use crate::target::Request;

/// A Redis server, asked in its own protocol (RESP2) without a client library between; a user's requests over one
/// connection. Neither user nor database are sent.
///
/// A request is a batch of commands that are sent together; it has ended when all of their replies are there, and has
/// failed if one of these is an error.
///
/// ```
/// # use larder_load::Redis;
/// // Three SETs a request, as the seeds had it; the GET in the request after that.
/// let target = Redis::parse("redis://127.0.0.1:6379")?
///     .batch([["SET", "a", "1"], ["SET", "b", "2"], ["SET", "c", "3"]])
///     .batch([["GET", "a"]]);
/// # Ok::<(), larder_load::Problem>(())
/// ```
#[derive(Debug, Clone)]
pub struct Redis {
    pub(crate) address: Address,
    batches: Vec<Batch>,
}

#[derive(Debug, Clone)]
struct Batch {
    commands: usize,
    bytes: Vec<u8>,
}

impl Redis {
    /// The server at an address such as `redis://127.0.0.1:6379`; it needs a [`batch`](Self::batch) besides.
    ///
    /// # Errors
    /// It is no URL, another scheme's, or one with more than host and port.
    pub fn parse(url: &str) -> Result<Self, Problem> {
        let (address, rest) = Address::parse(url, "redis", 6379)?;
        if !["", "/"].contains(&rest) {
            let what = "the target has a database or a query, which are not sent";
            return Err(Problem::setting(what));
        }
        Ok(Self {
            address,
            batches: Vec::new(),
        })
    }

    /// One kind of request more: these commands, sent together. Each user takes all batches in turn.
    #[must_use]
    pub fn batch<C, W>(mut self, commands: C) -> Self
    where
        C: IntoIterator,
        C::Item: IntoIterator<Item = W>,
        W: AsRef<[u8]>,
    {
        let mut batch = Batch {
            commands: 0,
            bytes: Vec::new(),
        };
        for command in commands {
            let words: Vec<_> = command.into_iter().collect();
            batch.commands += 1;
            write_command(&mut batch.bytes, &words);
        }
        self.batches.push(batch);
        self
    }

    pub(crate) fn name(&self) -> String {
        let commands: usize = self.batches.iter().map(|batch| batch.commands).sum();
        let Self { address, batches } = self;
        let (written, batches) = (&address.written, batches.len());
        format!("redis://{written}, commands {commands}, kinds of request {batches}")
    }

    /// The requests as they are sent.
    ///
    /// # Errors
    /// There is none, or one without a command.
    pub(crate) fn requests(&self) -> Result<Vec<Request>, Problem> {
        if self.batches.is_empty() || self.batches.iter().any(|batch| batch.commands == 0) {
            return Err(Problem::setting("Redis is asked for no command"));
        }
        let request = |batch: &Batch| Request {
            bytes: batch.bytes.clone(),
            answer: Answer::redis(batch.commands),
        };
        Ok(self.batches.iter().map(request).collect())
    }
}

/// An array of bulk strings.
fn write_command<W: AsRef<[u8]>>(bytes: &mut Vec<u8>, words: &[W]) {
    bytes.extend_from_slice(format!("*{}\r\n", words.len()).as_bytes());
    for word in words.iter().map(AsRef::as_ref) {
        bytes.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
        bytes.extend_from_slice(word);
        bytes.extend_from_slice(b"\r\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_sent_as_they_are() {
        let redis = Redis::parse("redis://localhost").unwrap();
        let redis = redis.batch([vec!["SET", "a", "b\r\nc"], vec!["PING"]]);
        let requests = redis.requests().unwrap();
        let sent = "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$4\r\nb\r\nc\r\n*1\r\n$4\r\nPING\r\n";
        assert_eq!(requests.len(), 1);
        assert_eq!(requests[0].bytes, sent.as_bytes());
    }

    #[test]
    fn what_would_not_be_sent_is_refused() {
        assert!(Redis::parse("redis://localhost/3").is_err());
        assert!(Redis::parse("rediss://localhost").is_err());
        let redis = Redis::parse("redis://localhost/").unwrap();
        assert!(redis.requests().is_err());
        assert!(redis.batch(Vec::<Vec<&str>>::new()).requests().is_err());
    }
}
