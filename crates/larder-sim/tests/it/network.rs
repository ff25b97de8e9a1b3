//! The network, by what a node sees of it.

mod commands;
mod messages;

use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use bytes::Bytes;
use larder_core::far::{Certainty, FarError};
use larder_kit::{Spawned, Virtual};
use larder_redis::{Ear, Reply, Request, Wire};
use larder_sim::Trace;
use larder_sim::network::{Link, Network};
use larder_sim::server::Server;

const SECOND: Duration = Duration::from_secs(1);

struct Rig {
    time: Virtual,
    network: Network,
}

type Sent = Spawned<Result<Vec<Reply>, FarError>>;

impl Rig {
    fn new() -> Self {
        let time = Virtual::new();
        let server = Server::new(&time);
        Self::over(time, &server)
    }

    fn over(time: Virtual, server: &Server) -> Self {
        let network = Network::new(&time, server, 1, &Trace::on(&time));
        Self { time, network }
    }

    fn send(&self, link: &Link, batch: Vec<Request>) -> Sent {
        let link = link.clone();
        self.time.spawn(async move { link.send(batch).await })
    }

    /// The end of a batch that has ended.
    fn end(&self, sent: Sent) -> Result<Vec<Reply>, FarError> {
        assert!(sent.is_finished(), "no end yet");
        self.time.block_on(sent)
    }

    fn text(&self, name: &str) -> String {
        let found = self.network.server().peek(name.as_bytes());
        let text = found.map(|(text, _)| text).unwrap_or_default();
        String::from_utf8_lossy(&text).into_owned()
    }
}

fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

fn set(name: &str, text: &str) -> Request {
    Request::command("SET", vec![bytes(name), bytes(text)])
}

fn get(name: &str) -> Request {
    Request::command("GET", vec![bytes(name)])
}

fn certainty(end: &Result<Vec<Reply>, FarError>) -> Option<Certainty> {
    end.as_ref().err().map(FarError::certainty)
}

#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Heard {
    fn note(&self, line: String) {
        self.0.lock().expect("no panic before").push(line);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().expect("no panic before"))
    }

    fn on(link: &Link) -> Arc<Self> {
        let heard = Arc::new(Self::default());
        let ear: Weak<Self> = Arc::downgrade(&heard);
        link.subscribe(bytes("c"), ear);
        heard
    }
}

impl Ear for Heard {
    fn message(&self, payload: Bytes) {
        self.note(String::from_utf8_lossy(&payload).into_owned());
    }

    fn lost(&self) {
        self.note("lost".to_owned());
    }

    fn ready(&self) {
        self.note("ready".to_owned());
    }
}
