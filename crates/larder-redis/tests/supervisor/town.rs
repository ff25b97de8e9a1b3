//! Servers at ports, which do what a test says.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_lite::future::or;
use larder_core::far::FarError;
use larder_core::{BoxFuture, Moment};
use larder_kit::{Gate, Virtual};
use larder_redis::{
    Address, Call, ConnectError, ConnectErrorKind, Connection, Dial, Heard, Listening, Reply,
    Request, Session, Settings,
};

use crate::ears;

/// What a server answers.
type Answer = Box<dyn Fn(&str, &[Bytes]) -> Reply + Send>;

/// Servers at ports. Where there is none, an attempt is refused.
#[derive(Default)]
pub(crate) struct Town(BTreeMap<u16, Arc<Server>>);

/// One server.
pub(crate) struct Server {
    /// Where attempts to connect wait.
    pub(crate) door: Gate,
    /// Where answers and signs of life wait.
    pub(crate) answers: Gate,
    /// Open while it is down.
    pub(crate) down: Gate,
    /// What has come from it.
    pub(crate) heard: Mutex<Heard>,
    /// What listens to it, the last at last.
    pub(crate) ears: Mutex<Vec<Arc<ears::Heard>>>,
    answer: Mutex<Answer>,
    asked: Mutex<Vec<String>>,
    dialled: Mutex<Vec<Moment>>,
    time: Virtual,
}

impl Town {
    /// A server more.
    pub(crate) fn add(
        &mut self,
        port: u16,
        time: &Virtual,
        answer: impl Fn(&str, &[Bytes]) -> Reply + Send + 'static,
    ) -> Arc<Server> {
        let server = Arc::new(Server {
            door: Gate::opened(),
            answers: Gate::opened(),
            down: Gate::closed(),
            heard: Mutex::default(),
            ears: Mutex::default(),
            answer: Mutex::new(Box::new(answer)),
            asked: Mutex::default(),
            dialled: Mutex::default(),
            time: time.clone(),
        });
        self.0.insert(port, server.clone());
        server
    }

    /// A connection to what a URL names here.
    pub(crate) fn open(self, url: &str, time: &Virtual) -> Connection {
        let settings = Settings::parse(url).unwrap();
        let dial = move |at: &Address| -> Arc<dyn Dial> {
            let Address::Tcp { port, .. } = at else {
                panic!("an address of another kind");
            };
            Arc::new(Door(self.0.get(port).cloned()))
        };
        let connection = Connection::open_through(settings, dial, time.runtime()).unwrap();
        time.run_until_idle();
        connection
    }
}

impl Server {
    /// Answers so from now on.
    pub(crate) fn says(&self, answer: impl Fn(&str, &[Bytes]) -> Reply + Send + 'static) {
        *self.answer.lock().unwrap() = Box::new(answer);
    }

    /// How often it was asked for this.
    pub(crate) fn asked(&self, name: &str) -> usize {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|one| *one == name).count()
    }

    /// When attempts at a session began.
    pub(crate) fn dialled(&self) -> Vec<Moment> {
        self.dialled.lock().unwrap().clone()
    }

    /// More of an answer has come, and it is not complete.
    pub(crate) fn goes_on(&self) {
        self.heard.lock().unwrap().bytes += 10_000;
    }

    fn reply(&self, request: &Request) -> Reply {
        let Call::Command { name, args } = request.call() else {
            panic!("a script");
        };
        self.asked.lock().unwrap().push((*name).to_owned());
        (self.answer.lock().unwrap())(name, args)
    }
}

/// The way to a server, or to nobody.
struct Door(Option<Arc<Server>>);

impl Door {
    async fn open(&self) -> Result<&Arc<Server>, ConnectError> {
        let server = self.0.as_ref().ok_or(ConnectErrorKind::Refused)?;
        server.door.wait().await;
        if server.down.is_open() {
            return Err(ConnectErrorKind::Refused.into());
        }
        Ok(server)
    }
}

impl Dial for Door {
    fn dial(&self) -> BoxFuture<'_, Result<Arc<dyn Session>, ConnectError>> {
        Box::pin(async {
            if let Some(server) = &self.0 {
                server.dialled.lock().unwrap().push(server.time.now());
            }
            let server = self.open().await?;
            Ok(Arc::new(Talk(server.clone())) as Arc<dyn Session>)
        })
    }

    fn listen(&self) -> BoxFuture<'_, Result<Listening, ConnectError>> {
        Box::pin(async {
            let server = self.open().await?;
            let (heard, listening) = ears::Heard::new();
            server.ears.lock().unwrap().push(heard);
            Ok(listening)
        })
    }
}

struct Talk(Arc<Server>);

impl Session for Talk {
    fn send<'a>(&'a self, batch: &'a [Request]) -> BoxFuture<'a, Result<Vec<Reply>, FarError>> {
        let answers = async {
            self.0.answers.wait().await;
            Ok(batch.iter().map(|one| self.0.reply(one)).collect())
        };
        let lost = async { Err(FarError::unknown(self.ended().await)) };
        Box::pin(or(lost, answers))
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), ConnectError>> {
        Box::pin(async {
            self.0.answers.wait().await;
            Ok(())
        })
    }

    fn heard(&self) -> Heard {
        *self.0.heard.lock().unwrap()
    }

    fn ended(&self) -> BoxFuture<'_, ConnectError> {
        Box::pin(async {
            self.0.down.wait().await;
            ConnectErrorKind::Lost.into()
        })
    }
}
