//! A server with the adapter on it, and what a test asks of both.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use larder_core::far::{Guarded, Part, Put, Read, Space, Stored, Want};
use larder_redis::{Connection, Redis, Reply, Request, Settings, Wire};
use larder_tests::servers::Server;
use smol::block_on;

pub(crate) const HOUR: Duration = Duration::from_secs(3600);

/// A server with the adapter on it.
pub(crate) struct Place {
    pub(crate) server: Server,
    pub(crate) redis: Redis,
    pub(crate) wire: Arc<Connection>,
}

/// A command that the server has run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ran {
    /// Its name and its arguments, as the server writes them down.
    pub(crate) words: Vec<String>,
    /// Whether a script ran it.
    pub(crate) in_script: bool,
}

pub(crate) fn deals() -> Space {
    Space::new("deals".into(), 1, 7)
}

impl Place {
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    pub(crate) fn start_with(arguments: &[&str]) -> Option<Self> {
        let server = Server::start_with(arguments)?;
        let runtime = Arc::new(larder::Smol::global());
        let settings = Settings::parse(&server.socket_url()).unwrap();
        // A busy machine stands still for longer than a server may.
        let settings = settings.patience(Duration::from_secs(60));
        let wire = block_on(Connection::connect(settings, runtime.clone()));
        let wire = Arc::new(wire.expect("a server that was just started"));
        let redis = Redis::over(wire.clone(), runtime, "larder");
        Some(Self {
            server,
            redis,
            wire,
        })
    }

    /// Asks the server itself.
    pub(crate) fn ask(&self, name: &'static str, args: &[&[u8]]) -> Reply {
        let args = args.iter().map(|arg| Bytes::copy_from_slice(arg)).collect();
        let mut replies = block_on(self.wire.send(vec![Request::command(name, args)])).unwrap();
        replies.remove(0)
    }

    /// All keys there are.
    pub(crate) fn keys(&self) -> Vec<Bytes> {
        let Reply::Array(keys) = self.ask("KEYS", &[b"*"]) else {
            panic!("KEYS gives an array");
        };
        let key = |reply| match reply {
            Reply::Bytes(key) => key,
            other => panic!("{other:?}"),
        };
        keys.into_iter().map(key).collect()
    }

    /// Every key has an end.
    pub(crate) fn all_end(&self) {
        for key in self.keys() {
            let left = self.ask("PTTL", &[&key]);
            assert_ne!(left, Reply::Int(-1), "{key:?} has no end");
        }
    }

    pub(crate) fn read(&self, key: &[u8], tags: &[&str], want: Want) -> Read {
        let mut reads = block_on(self.redis.read(&deals(), &[key], tags, want)).unwrap();
        reads.remove(0)
    }

    pub(crate) fn found(&self, key: &[u8]) -> Option<Bytes> {
        self.read(key, &[], Want::Look)
            .found
            .map(|found| found.bytes)
    }

    /// A load from its beginning to its end.
    pub(crate) fn fill(&self, key: &[u8], bytes: &str, tags: &[&str], ends: Duration) -> Stored {
        let ticket = self.read(key, &[], Want::Load).ticket.expect("a ticket");
        let part = part(bytes, tags, ends);
        block_on(self.redis.store_if(&deals(), key, &ticket, part)).unwrap()
    }

    pub(crate) fn put(&self, key: &[u8], bytes: &str) -> Put {
        let ticket = self.read(key, &[], Want::Load).ticket.expect("a ticket");
        let part = part(bytes, &[], HOUR);
        block_on(self.redis.put_if(&deals(), key, &ticket, part)).unwrap()
    }

    pub(crate) fn invalidate(&self, keys: &[&[u8]]) {
        block_on(self.redis.invalidate(&deals(), keys)).unwrap();
    }

    /// What the server runs while `act` does, but for the connection's heartbeats.
    pub(crate) fn ran(&self, act: impl FnOnce(&Self)) -> Vec<Ran> {
        let mut monitor = UnixStream::connect(self.server.socket()).unwrap();
        monitor.write_all(b"MONITOR\r\n").unwrap();
        let mut lines = BufReader::new(monitor).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "+OK");
        act(self);
        self.ask("ECHO", &[b"that was all"]);
        let lines = lines.map(|line| ran(&line.unwrap()));
        lines
            .take_while(|ran| ran.words != ["ECHO", "that was all"])
            .filter(|ran| ran.words != ["PING"])
            .collect()
    }
}

pub(crate) fn part<'a>(bytes: &str, tags: &'a [&'a str], ends: Duration) -> Part<'a> {
    let bytes = Bytes::copy_from_slice(bytes.as_bytes());
    Part { bytes, tags, ends }
}

/// `+1700000000.000000 [0 lua] "GET" "key"`; quotes inside are escaped.
fn ran(line: &str) -> Ran {
    let (head, words) = line.split_once("] ").unwrap();
    let words = words.trim_matches('"').split("\" \"");
    Ran {
        words: words.map(str::to_owned).collect(),
        in_script: head.ends_with("lua"),
    }
}
