//! A process with a cache. It does what it is told, line by line, and answers each line when it is
//! done: `<number> <answer>`.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_lite::{AsyncBufReadExt, StreamExt};
use larder::{Cache, Change, Connection, Larder, Redis, Runtime, Settings, Smol};
use larder_kit::Gate;
use larder_redis::{Reply, Request, Wire};
use smol::io::BufReader;

pub(crate) const HEARTBEAT: Duration = Duration::from_millis(100);
pub(crate) const BLIND: Duration = Duration::from_millis(300);
pub(crate) const FAR_DEADLINE: Duration = Duration::from_secs(1);
/// Between two questions to what is not there yet.
const AGAIN: Duration = Duration::from_millis(5);

pub(crate) const LEASE: Duration = Duration::from_secs(2);

/// Clones are the same node.
#[derive(Clone)]
struct Node {
    cache: Cache<u64, u64>,
    source: Source,
    gate: Gate,
}

/// The numbers that the cache is of: they lie in the server as well, where both processes find them.
#[derive(Clone)]
struct Source(Arc<Connection>);

/// Runs a node on the server of a URL until its input ends. With a second word its loads wait until
/// they are told to go on.
pub(crate) fn run(words: &[String]) {
    smol::block_on(async {
        let runtime: Arc<dyn Runtime> = Arc::new(Smol::global());
        let wire =
            Connection::connect(Settings::parse(&words[0]).unwrap(), Arc::clone(&runtime)).await;
        let wire = Arc::new(wire.unwrap());
        let redis = Redis::over(wire.clone(), runtime, "shop");
        let larder = Larder::builder().heartbeat(HEARTBEAT).blind_ttl(BLIND);
        let larder = larder.far(redis).build().unwrap();
        let cache = larder.cache("numbers").ttl(Duration::from_secs(600));
        let cache = cache.far_deadline(FAR_DEADLINE).far().lease(LEASE);
        let node = Node {
            cache: cache.build().unwrap(),
            source: Source(wire),
            gate: match words.get(1) {
                Some(_) => Gate::closed(),
                None => Gate::opened(),
            },
        };
        // What is read before the node hears the others, and has had heartbeats since, falls with them.
        while !node.source.0.health().hearing {
            smol::Timer::after(AGAIN).await;
        }
        smol::Timer::after(HEARTBEAT * 5).await;
        say(0, "ready");
        let mut lines = BufReader::new(smol::Unblock::new(std::io::stdin())).lines();
        while let Some(line) = lines.next().await {
            smol::spawn(node.clone().obey(line.unwrap())).detach();
        }
    });
}

fn say(number: u64, answer: &str) {
    println!("{number} {answer}");
}

impl Node {
    /// `<number> <word> <key>`
    async fn obey(self, line: String) {
        let mut words = line.split(' ');
        let number = words.next().unwrap().parse().unwrap();
        let word = words.next().unwrap();
        let key = words.next().unwrap().parse().unwrap();
        let answer = match word {
            "read" => self.read(number, key).await,
            "invalidate" => self.invalidate(key).await,
            "update" => self.update(key).await,
            "waited" => self.waited(),
            _ => {
                assert_eq!(word, "open");
                self.gate.open();
                "opened".to_owned()
            }
        };
        say(number, &answer);
    }

    /// The value, and how the cache came to it.
    async fn read(&self, number: u64, key: u64) -> String {
        let node = self.clone();
        let load = move || async move {
            node.source.ask("INCR", "loads", key).await;
            let value = node.source.ask("GET", "source", key).await;
            if !node.gate.is_open() {
                say(number, "loads");
            }
            node.gate.wait().await;
            value
        };
        let fetched = self.cache.fetch(&key, load).await.unwrap();
        format!("{} {}", fetched.value, fetched.outcome.detail())
    }

    /// Changes the source, then invalidates: the new value, and whether all was done.
    async fn invalidate(&self, key: u64) -> String {
        let value = self.source.ask("INCR", "source", key).await;
        done(value, self.cache.invalidate(&key).await)
    }

    /// Takes a ticket, changes the source, and puts.
    async fn update(&self, key: u64) -> String {
        let ticket = self.cache.ticket(&key).await;
        let value = self.source.ask("INCR", "source", key).await;
        done(value, self.cache.put_with(ticket, value).await)
    }

    /// How many loads waited for another node's, and how many in vain.
    fn waited(&self) -> String {
        let far = self.cache.stats().far_tier.unwrap();
        format!("{} {}", far.waited, far.lapsed)
    }
}

fn done(value: u64, change: Change) -> String {
    let how = match change {
        Change::Done => "done",
        _ => "queued",
    };
    format!("{value} {how}")
}

impl Source {
    /// The number that lies under a name and a key; nothing there is zero. It is asked for until there
    /// is an answer: a process that was paused finds its connection replaced.
    async fn ask(&self, command: &'static str, name: &str, key: u64) -> u64 {
        let name = Bytes::from(format!("{name}:{key}"));
        let mut replies = loop {
            let asked = vec![Request::command(command, vec![name.clone()])];
            match self.0.send(asked).await {
                Ok(replies) => break replies,
                Err(_) => smol::Timer::after(AGAIN).await,
            };
        };
        match replies.remove(0) {
            Reply::Int(number) => u64::try_from(number).unwrap(),
            Reply::Bytes(text) => String::from_utf8_lossy(&text).parse().unwrap(),
            Reply::Nil => 0,
            other => panic!("{other:?}"),
        }
    }
}
