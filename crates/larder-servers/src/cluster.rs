//! A cluster.

use std::fs;
use std::ops::RangeInclusive;
use std::time::Duration;

use crate::server::{Server, fine};
use crate::setup::Setup;
use crate::wait::until;

/// Three masters that share all slots, each with a replica or none.
#[derive(Debug)]
pub struct Cluster {
    nodes: Vec<Server>,
}

impl Cluster {
    /// Starts a cluster whose masters have a replica each; a node is called down when it has not answered
    /// for `node_timeout`. Returns when all serve. `None` if there is no program, after saying so loudly.
    ///
    /// # Panics
    /// When there is none and `CI` is `true`; when one does not start.
    #[must_use]
    pub fn start(node_timeout: Duration) -> Option<Self> {
        Setup::for_tests().map(|setup| Self::of(&setup, 2 * MASTERS, node_timeout))
    }

    /// Starts masters without replicas: there in two seconds, and with nobody to take over.
    ///
    /// # Panics
    /// As [`start`](Self::start).
    #[must_use]
    pub fn start_masters() -> Option<Self> {
        let long = Duration::from_secs(15);
        Setup::for_tests().map(|setup| Self::of(&setup, MASTERS, long))
    }

    /// A cluster of as many nodes, of this setup: three masters, then replicas of the first, the second…
    ///
    /// # Panics
    /// When one does not start.
    #[must_use]
    pub fn of(setup: &Setup, nodes: usize, node_timeout: Duration) -> Self {
        let timeout = node_timeout.as_millis().to_string();
        let arguments = [
            &[
                "--cluster-enabled",
                "yes",
                "--cluster-node-timeout",
                &timeout,
            ],
            NODE,
        ]
        .concat();
        let prepare = |_| Server::prepare(setup, &[]).map(|node| node.with(&arguments));
        let prepared: Result<Vec<_>, _> = (0..nodes).map(prepare).collect();
        let all = Self {
            nodes: prepared.expect("folders and ports"),
        };
        for (number, node) in all.nodes.iter().enumerate() {
            let file = node.folder().join("nodes.conf");
            fs::write(file, all.file(number)).expect("a folder of its own");
            node.start_again();
        }
        all.until_whole();
        all
    }

    /// What a node would have written down of a cluster that it was part of: so nobody has to be found
    /// first.
    fn file(&self, myself: usize) -> String {
        let line = |(number, node): (usize, &Server)| {
            let (port, bus) = (node.port(), node.port() + 10_000);
            let me = if number == myself { "myself," } else { "" };
            let (role, slots) = match number.checked_sub(MASTERS) {
                None => {
                    let slots = slots(number);
                    let epoch = number + 1;
                    let slots = format!("{epoch} connected {}-{}", slots.start(), slots.end());
                    ("master -".to_owned(), slots)
                }
                Some(replica) => {
                    let master = replica % MASTERS;
                    let role = format!("slave {}", id(master));
                    (role, format!("{} connected", master + 1))
                }
            };
            let id = id(number);
            format!("{id} 127.0.0.1:{port}@{bus} {me}{role} 0 0 {slots}\n")
        };
        let lines: String = self.nodes.iter().enumerate().map(line).collect();
        format!("{lines}vars currentEpoch {MASTERS} lastVoteEpoch 0\n")
    }

    /// Its address: `redis+cluster://127.0.0.1:1,127.0.0.1:2,…`.
    #[must_use]
    pub fn url(&self) -> String {
        let all = self.nodes.iter();
        let all: Vec<_> = all.map(|one| format!("127.0.0.1:{}", one.port())).collect();
        format!("redis+cluster://{}", all.join(","))
    }

    /// All nodes; the first three were the masters when they were started, and the one at `3 + n` the
    /// replica of the one at `n`.
    #[must_use]
    pub fn nodes(&self) -> &[Server] {
        &self.nodes
    }

    /// The node that serves a slot, as the first node that answers says.
    ///
    /// # Panics
    /// When none answers, or nobody serves it.
    #[must_use]
    pub fn node_of(&self, slot: u16) -> &Server {
        let shown = self
            .nodes
            .iter()
            .find_map(|node| node.ask(&["CLUSTER", "NODES"]).ok());
        let shown = shown.expect("a node that answers").join("\n");
        let line = shown.lines().find(|line| serves(line, slot));
        let id = line.and_then(|line| line.split(' ').next());
        let id = id.expect("somebody serves it");
        let number = self
            .nodes
            .iter()
            .enumerate()
            .find(|(number, _)| self::id(*number) == id);
        number.expect("a node of ours").1
    }

    /// The slot of a key.
    ///
    /// # Panics
    /// When no node answers.
    #[must_use]
    pub fn slot(&self, key: &str) -> u16 {
        let ask = |node: &Server| node.ask(&["CLUSTER", "KEYSLOT", key]).ok();
        let slot = self
            .nodes
            .iter()
            .find_map(ask)
            .expect("a node that answers");
        slot[0].parse().expect("a number")
    }

    /// Has the replica at `3 + n` take over from the master at `n`, which lives, and waits until both say
    /// so.
    ///
    /// # Panics
    /// When it refuses, or it does not happen within a minute.
    pub fn fail_over(&self, n: usize) {
        let replica = &self.nodes[MASTERS + n];
        // It refuses until it has heard of its master.
        until("a replica that takes over", || {
            replica.ask(&["CLUSTER", "FAILOVER"]).and_then(fine).ok()
        });
        until("a replica that leads", || {
            let leads = |node: &Server| Some(node.ask(&["ROLE"]).ok()?[0] == "master");
            (leads(replica)? && !leads(&self.nodes[n])?).then_some(())
        });
    }

    /// Begins to move a slot to a node: keys that are not there any more are asked for at the new node
    /// (`ASK`). Gives the number of the node that has had it.
    ///
    /// # Panics
    /// When a node refuses.
    #[must_use]
    pub fn begin_move(&self, slot: u16, to: usize) -> usize {
        self.until_one_epoch();
        let from = self.node_of(slot).port();
        let from = self.nodes.iter().position(|node| node.port() == from);
        let from = from.expect("a node of ours");
        self.set_slot(to, slot, &["IMPORTING", &id(from)]);
        self.set_slot(from, slot, &["MIGRATING", &id(to)]);
        from
    }

    /// Moves a slot with all that is in it to a node, and tells all masters.
    ///
    /// # Panics
    /// When a node refuses.
    pub fn move_slot(&self, slot: u16, to: usize) {
        let from = self.begin_move(slot, to);
        self.end_move(slot, from, to);
    }

    /// Moves what is in a slot whose move has [begun](Self::begin_move), and tells all masters.
    ///
    /// # Panics
    /// When a node refuses.
    pub fn end_move(&self, slot: u16, from: usize, to: usize) {
        let (number, port) = (slot.to_string(), self.nodes[to].port().to_string());
        loop {
            let some = ["CLUSTER", "GETKEYSINSLOT", &number, "100"];
            let keys = self.nodes[from]
                .ask(&some)
                .and_then(fine)
                .expect("its keys");
            if keys.is_empty() {
                break;
            }
            for key in keys {
                let move_it = ["MIGRATE", "127.0.0.1", &port, &key, "0", "5000", "REPLACE"];
                let moved = self.nodes[from].ask(&move_it);
                moved.and_then(fine).expect("it moves");
            }
        }
        let masters = (0..MASTERS).filter(|node| *node != to && *node != from);
        for node in [to, from].into_iter().chain(masters) {
            self.set_slot(node, slot, &["NODE", &id(to)]);
        }
    }

    /// Waits until all masters have heard of the last change. A node that has not takes its next slot under
    /// a number that the last owner may have passed: then an old word of that one takes the slot away
    /// again, and each of them says that the other has it.
    fn until_one_epoch(&self) {
        until("masters that agree on an epoch", || {
            let all = self.nodes[..MASTERS].iter();
            let all = all.map(|node| node.line(&["CLUSTER", "INFO"], "cluster_current_epoch"));
            let all: Option<Vec<_>> = all.collect();
            let all = all?;
            all.iter().all(|one| *one == all[0]).then_some(())
        });
    }

    fn set_slot(&self, node: usize, slot: u16, how: &[&str]) {
        let slot = slot.to_string();
        let words = [&["CLUSTER", "SETSLOT", &slot], how].concat();
        self.nodes[node]
            .ask(&words)
            .and_then(fine)
            .expect("a slot is set");
    }

    /// Waits until every node serves, is connected with all others, and every replica has its copy.
    ///
    /// # Panics
    /// When that does not happen within a minute.
    pub fn until_whole(&self) {
        for node in &self.nodes {
            until("a node that serves", || {
                let state = node.line(&["CLUSTER", "INFO"], "cluster_state")?;
                let shown = node.ask(&["CLUSTER", "NODES"]).ok()?.join("\n");
                let mut others = shown.lines();
                let connected = others.all(|line| {
                    line.split(' ').nth(7) == Some("connected") && !line.contains("fail")
                });
                (state == "ok" && connected).then_some(())
            });
        }
        let follows = |node: &&Server| {
            let role = node.ask(&["ROLE"]);
            role.is_ok_and(|role| role[0] == "slave")
        };
        let replicas = self.nodes.iter().filter(follows);
        replicas.for_each(Server::until_linked);
    }

    /// Lets it outlive us.
    pub fn keep(self) {
        self.nodes.into_iter().for_each(Server::keep);
    }
}

/// Whether a line of `CLUSTER NODES` says that its node serves a slot.
fn serves(line: &str, slot: u16) -> bool {
    let ranges = line
        .split(' ')
        .skip(8)
        .filter(|range| !range.starts_with('['));
    let serves = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (first.parse::<u16>(), last.parse::<u16>());
        matches!((first, last), (Ok(first), Ok(last)) if (first..=last).contains(&slot))
    };
    ranges.into_iter().any(serves)
}

/// The slots of a master when a cluster is started.
fn slots(master: usize) -> RangeInclusive<usize> {
    SLOTS * master / MASTERS..=SLOTS * (master + 1) / MASTERS - 1
}

fn id(number: usize) -> String {
    format!("{:040x}", number + 1)
}

const MASTERS: usize = 3;
const SLOTS: usize = 16_384;
/// A replica need not wait for others that might want a copy as well.
const NODE: &[&str] = &["--repl-diskless-sync-delay", "0"];
