//! The two that are held against each other.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use anyhow::{Context, Result};
use bytes::Bytes;
use larder_kit::Virtual;
use larder_redis::{Call, Ear, Reply, Request, Script, Wire, scripts};
use larder_sim::Trace;
use larder_sim::network::{Link, Network};
use larder_sim::server::Server;

use crate::resp::Resp;

/// The channel on which both listen.
pub(crate) const CHANNEL: &str = "told";

/// How a server is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Fine,
    Full,
    ReadOnly,
}

/// What lies under a name, and for how many milliseconds.
pub(crate) type Kept = (Reply, Reply);

pub(crate) trait Target {
    fn run(&mut self, request: &Request) -> Result<Reply>;
    fn set(&mut self, mode: Mode) -> Result<()>;
    /// Puts a value of another type under a name.
    fn plant_foreign(&mut self, name: &Bytes) -> Result<()>;
    fn kept(&mut self, names: &[Bytes]) -> Result<Vec<Kept>>;
    /// What was published since the last call.
    fn heard(&mut self) -> Result<Vec<Bytes>>;
}

/// A real server.
pub(crate) struct Real {
    commands: Resp,
    messages: Resp,
    loaded: HashMap<&'static str, Bytes>,
}

impl Real {
    pub(crate) fn connect(socket: &Path) -> Result<Self> {
        let mut commands = Resp::connect(socket)?;
        let mut loaded = HashMap::new();
        for script in scripts::ALL {
            loaded.insert(script.name(), load(&mut commands, script)?);
        }
        let mut messages = Resp::connect(socket)?;
        messages.say(&format!("SUBSCRIBE {CHANNEL}"))?;
        Ok(Self {
            commands,
            messages,
            loaded,
        })
    }
}

fn load(commands: &mut Resp, script: &Script) -> Result<Bytes> {
    let source = Bytes::from_static(script.source().as_bytes());
    let load = vec!["SCRIPT".into(), "LOAD".into(), source];
    match commands.pipeline(&[load])?.pop() {
        Some(Reply::Bytes(digest)) => Ok(digest),
        other => anyhow::bail!("{} is refused: {other:?}", script.name()),
    }
}

impl Target for Real {
    fn run(&mut self, request: &Request) -> Result<Reply> {
        let words = match request.call() {
            Call::Command { name, args } => {
                let name = Bytes::from_static(name.as_bytes());
                [&[name], &args[..]].concat()
            }
            Call::Script { script, keys, args } => {
                let digest = self.loaded.get(script.name()).context("not in the list")?;
                let count = keys.len().to_string().into();
                let head = ["EVALSHA".into(), digest.clone(), count];
                [&head, &keys[..], args].concat()
            }
        };
        self.commands.pipeline(&[words])?.pop().context("no reply")
    }

    fn set(&mut self, mode: Mode) -> Result<()> {
        let full = if mode == Mode::Full { 1 } else { 0 };
        let master = match mode {
            // Nobody answers there, so nothing is copied from it.
            Mode::ReadOnly => "127.0.0.1 1",
            Mode::Fine | Mode::Full => "NO ONE",
        };
        self.commands.say(&format!("CONFIG SET maxmemory {full}"))?;
        self.commands.say(&format!("REPLICAOF {master}"))?;
        Ok(())
    }

    fn plant_foreign(&mut self, name: &Bytes) -> Result<()> {
        let unlink = vec!["UNLINK".into(), name.clone()];
        let push = vec!["RPUSH".into(), name.clone(), "x".into()];
        self.commands.pipeline(&[unlink, push]).map(drop)
    }

    fn kept(&mut self, names: &[Bytes]) -> Result<Vec<Kept>> {
        let get = |name: &Bytes| vec!["GET".into(), name.clone()];
        let pttl = |name: &Bytes| vec!["PTTL".into(), name.clone()];
        let both: Vec<_> = names
            .iter()
            .flat_map(|name| [get(name), pttl(name)])
            .collect();
        let replies = self.commands.pipeline(&both)?;
        let pairs = replies.chunks_exact(2);
        Ok(pairs
            .map(|pair| (pair[0].clone(), pair[1].clone()))
            .collect())
    }

    fn heard(&mut self) -> Result<Vec<Bytes>> {
        self.commands.say(&format!("PUBLISH {CHANNEL} end"))?;
        let mut heard = Vec::new();
        loop {
            let Reply::Array(parts) = self.messages.read()? else {
                anyhow::bail!("no message");
            };
            match parts.last() {
                Some(Reply::Bytes(text)) if text == "end" => return Ok(heard),
                Some(Reply::Bytes(text)) => heard.push(text.clone()),
                other => anyhow::bail!("no message: {other:?}"),
            }
        }
    }
}

/// The model, behind its network.
pub(crate) struct Model {
    time: Virtual,
    network: Network,
    link: Link,
    heard: Arc<Heard>,
}

#[derive(Default)]
struct Heard(Mutex<Vec<Bytes>>);

impl Model {
    pub(crate) fn new() -> Self {
        let time = Virtual::new();
        let network = Network::new(&time, &Server::new(&time), 0, &Trace::off());
        let (link, heard) = (network.link(1), Arc::new(Heard::default()));
        let ear: Weak<Heard> = Arc::downgrade(&heard);
        link.subscribe(CHANNEL.into(), ear);
        time.run_until_idle();
        Self {
            time,
            network,
            link,
            heard,
        }
    }

    /// Lets time pass.
    pub(crate) fn pass(&self, time: Duration) {
        self.time.advance(time);
    }

    /// The text under a name.
    pub(crate) fn text(&self, name: &[u8]) -> Option<Bytes> {
        self.network.server().peek(name).map(|(text, _)| text)
    }
}

impl Target for Model {
    fn run(&mut self, request: &Request) -> Result<Reply> {
        let replies = self.time.block_on(self.link.send(vec![request.clone()]));
        self.time.run_until_idle();
        replies?.pop().context("no reply")
    }

    fn set(&mut self, mode: Mode) -> Result<()> {
        let server = self.network.server();
        server.set_full(mode == Mode::Full);
        server.set_read_only(mode == Mode::ReadOnly);
        Ok(())
    }

    fn plant_foreign(&mut self, name: &Bytes) -> Result<()> {
        self.network.server().plant_foreign(name);
        Ok(())
    }

    fn kept(&mut self, names: &[Bytes]) -> Result<Vec<Kept>> {
        let server = self.network.server();
        let one = |name: &Bytes| {
            let name = std::slice::from_ref(name);
            (server.command("GET", name), server.command("PTTL", name))
        };
        Ok(names.iter().map(one).collect())
    }

    fn heard(&mut self) -> Result<Vec<Bytes>> {
        let mut heard = self.heard.0.lock().expect("nobody panics with it");
        Ok(std::mem::take(&mut *heard))
    }
}

impl Ear for Heard {
    fn message(&self, payload: Bytes) {
        self.0.lock().expect("nobody panics with it").push(payload);
    }

    fn lost(&self) {}

    fn ready(&self) {}
}
