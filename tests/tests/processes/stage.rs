//! A server, and what a test does with it past its nodes.

use std::sync::Arc;

use bytes::Bytes;
use larder::{Connection, Settings, Smol};
use larder_redis::{Reply, Request, Wire};
use larder_tests::servers::Server;

pub(crate) struct Stage {
    wire: Connection,
    pub(crate) server: Server,
}

impl Stage {
    /// Nothing where there is no program for a server.
    pub(crate) fn start() -> Option<Self> {
        let server = Server::start()?;
        let settings = Settings::parse(&server.socket_url()).unwrap();
        let wire = Connection::connect(settings, Arc::new(Smol::global()));
        let wire = smol::block_on(wire).unwrap();
        Some(Self { wire, server })
    }

    pub(crate) fn ask(&self, name: &'static str, args: &[&str]) -> Reply {
        let args = args.iter().copied().map(str::to_owned).map(Bytes::from);
        let asked = self.wire.send(vec![Request::command(name, args.collect())]);
        smol::block_on(asked).unwrap().remove(0)
    }

    /// All keys there are.
    pub(crate) fn keys(&self) -> Vec<String> {
        let Reply::Array(keys) = self.ask("KEYS", &["*"]) else {
            panic!("KEYS gives an array");
        };
        let key = |reply| match reply {
            Reply::Bytes(key) => String::from_utf8_lossy(&key).into_owned(),
            other => panic!("{other:?}"),
        };
        keys.into_iter().map(key).collect()
    }

    /// The number that lies under a name and a key; nothing there is zero.
    pub(crate) fn number(&self, name: &str, key: u64) -> u64 {
        match self.ask("GET", &[&format!("{name}:{key}")]) {
            Reply::Nil => 0,
            Reply::Bytes(text) => String::from_utf8_lossy(&text).parse().unwrap(),
            other => panic!("{other:?}"),
        }
    }
}
