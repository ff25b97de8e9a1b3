//! A master with replicas, and sentinels that watch them.

use std::fs;
use std::time::Duration;

use crate::running::LOG;
use crate::server::{Server, fine};
use crate::setup::Setup;
use crate::wait::until;

/// One master, two replicas and three sentinels, which know each other from the start.
#[derive(Debug)]
pub struct Sentinels {
    servers: Vec<Server>,
    sentinels: Vec<Server>,
}

impl Sentinels {
    /// Starts them; a server is called down when it has not answered for `down_after`. Returns when all
    /// are seen by all. `None` if there is no program, after saying so loudly.
    ///
    /// # Panics
    /// When there is none and `CI` is `true`; when one does not start.
    #[must_use]
    pub fn start(down_after: Duration) -> Option<Self> {
        Setup::for_tests().map(|setup| Self::of(&setup, down_after))
    }

    /// As [`start`](Self::start), of this setup.
    ///
    /// # Panics
    /// When one does not start.
    #[must_use]
    pub fn of(setup: &Setup, down_after: Duration) -> Self {
        let master = Server::of(setup, DATA);
        let port = master.port().to_string();
        let follow = [DATA, &["--replicaof", "127.0.0.1", &port]].concat();
        let replicas = (1..SERVERS).map(|_| Server::of(setup, &follow));
        let servers: Vec<_> = std::iter::once(master).chain(replicas).collect();
        servers[1..].iter().for_each(Server::until_linked);

        let prepare = |_| Server::prepare(setup, &[FILE, "--sentinel"]);
        let sentinels: Result<Vec<_>, _> = (0..SENTINELS).map(prepare).collect();
        let all = Self {
            servers,
            sentinels: sentinels.expect("folders and ports"),
        };
        for (number, sentinel) in all.sentinels.iter().enumerate() {
            let file = sentinel.folder().join(FILE);
            fs::write(file, all.file(number, down_after)).expect("a folder of its own");
            sentinel.start_again();
        }
        all.until_whole();
        all
    }

    /// What a sentinel is told: with the others in it nobody has to be found first.
    fn file(&self, number: usize, down_after: Duration) -> String {
        let (name, master) = (Self::SERVICE, self.servers[0].port());
        let mut file = format!(
            "sentinel myid {}\n\
             sentinel monitor {name} 127.0.0.1 {master} 2\n\
             sentinel down-after-milliseconds {name} {}\n\
             sentinel failover-timeout {name} 10000\n\
             sentinel parallel-syncs {name} 2\n",
            id(number),
            down_after.as_millis(),
        );
        for replica in &self.servers[1..] {
            let port = replica.port();
            file += &format!("sentinel known-replica {name} 127.0.0.1 {port}\n");
        }
        let others = self.sentinels.iter().enumerate();
        for (other, sentinel) in others.filter(|(other, _)| *other != number) {
            let (port, id) = (sentinel.port(), id(other));
            file += &format!("sentinel known-sentinel {name} 127.0.0.1 {port} {id}\n");
        }
        file
    }

    /// The name under which the sentinels know the master.
    pub const SERVICE: &str = "larder";

    /// Their address: `redis+sentinel://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3/larder`.
    #[must_use]
    pub fn url(&self) -> String {
        let all = self.sentinels.iter();
        let all: Vec<_> = all.map(|one| format!("127.0.0.1:{}", one.port())).collect();
        format!("redis+sentinel://{}/{}", all.join(","), Self::SERVICE)
    }

    /// The servers that hold data; the first was the master when they were started.
    #[must_use]
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// The sentinels.
    #[must_use]
    pub fn sentinels(&self) -> &[Server] {
        &self.sentinels
    }

    /// The server that the first sentinel that answers calls the master.
    ///
    /// # Panics
    /// When none answers.
    #[must_use]
    pub fn master(&self) -> &Server {
        let named = self.sentinels.iter().find_map(|one| self.master_of(one));
        named.expect("a sentinel that answers")
    }

    fn master_of(&self, sentinel: &Server) -> Option<&Server> {
        let name = ["SENTINEL", "GET-MASTER-ADDR-BY-NAME", Self::SERVICE];
        let address = sentinel.ask(&name).ok()?;
        let port = address.get(1)?.parse::<u16>().ok()?;
        self.servers.iter().find(|server| server.port() == port)
    }

    /// Has the sentinels make a replica the master though the master lives, and waits until all of them
    /// say so and it says so itself.
    ///
    /// # Panics
    /// When they refuse, or do not agree within a minute.
    pub fn fail_over(&self) {
        let old = self.master().port();
        // It refuses as long as the last one is not over.
        until("sentinels that begin a failover", || {
            let begun = self.sentinels[0].ask(&["SENTINEL", "FAILOVER", Self::SERVICE]);
            begun.and_then(fine).ok()
        });
        self.until_other_than(old);
    }

    /// Waits until all sentinels that run name one master that is not on this port, and it leads.
    ///
    /// # Panics
    /// When that does not happen within a minute.
    pub fn until_other_than(&self, old: u16) {
        until("another master", || {
            let master = self.master();
            let named = self.sentinels.iter().filter_map(|one| self.master_of(one));
            let agreed = named.into_iter().all(|one| one.port() == master.port());
            let role = master.ask(&["ROLE"]).ok()?;
            (agreed && master.port() != old && role[0] == "master").then_some(())
        });
    }

    /// Waits until every sentinel sees all servers up, following one master, and the other sentinels.
    ///
    /// # Panics
    /// When that does not happen within a minute.
    pub fn until_whole(&self) {
        for sentinel in &self.sentinels {
            until("a sentinel that sees all", || {
                let enough = sentinel
                    .ask(&["SENTINEL", "CKQUORUM", Self::SERVICE])
                    .ok()?;
                let replicas = sentinel
                    .ask(&["SENTINEL", "REPLICAS", Self::SERVICE])
                    .ok()?;
                let of = |name: &str, value: &str| {
                    let pairs = replicas.windows(2);
                    pairs
                        .filter(|pair| pair[0] == name && pair[1] == value)
                        .count()
                };
                let all = enough[0].starts_with(&format!("OK {SENTINELS} "))
                    && of("flags", "slave") == SERVERS - 1
                    && of("master-link-status", "ok") == SERVERS - 1;
                all.then_some(())
            });
        }
    }

    /// How often they have made another server the master, as far as any of them has heard.
    #[must_use]
    pub fn switches(&self) -> usize {
        let heard = self.sentinels.iter().map(|sentinel| {
            let said = fs::read_to_string(sentinel.folder().join(LOG)).unwrap_or_default();
            said.matches("+switch-master").count()
        });
        heard.max().unwrap_or_default()
    }

    /// Lets them outlive us.
    pub fn keep(self) {
        let all = self.servers.into_iter().chain(self.sentinels);
        all.for_each(Server::keep);
    }
}

fn id(number: usize) -> String {
    format!("{:040x}", number + 1)
}

const SERVERS: usize = 3;
const SENTINELS: usize = 3;
const FILE: &str = "sentinel.conf";
/// A replica need not wait for others that might want a copy as well.
const DATA: &[&str] = &["--repl-diskless-sync-delay", "0"];
