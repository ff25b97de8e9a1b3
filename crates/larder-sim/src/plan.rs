//! What happens in a run, as data: drawn from a seed, printed, and shrunk.

mod draw;
mod edit;
mod verb;

use std::fmt;
use std::time::Duration;

use larder_engine::Refresh;

use crate::Profile;

pub(crate) use verb::{Body, End, Form, Says, Tag, Tagging, Verb};

/// All that a run does. Two runs of one plan are the same run.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) profile: Profile,
    pub(crate) setup: Setup,
    pub(crate) wire: Wire,
    pub(crate) clients: Vec<Client>,
    pub(crate) faults: Vec<Fault>,
}

/// The nodes and the settings of their cache.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    pub(crate) tiers: Tiers,
    pub(crate) store: Kind,
    pub(crate) nodes: usize,
    /// Whether every second node runs the second version of the program.
    pub(crate) two_versions: bool,
    pub(crate) keys: u64,
    pub(crate) capacity: usize,
    /// How many keys a shelf keeps.
    pub(crate) far_keys: usize,
    pub(crate) queue: usize,
    pub(crate) max_loads: usize,
    /// How many elements of a stream are kept.
    pub(crate) max_stream: usize,
    pub(crate) ttl: Duration,
    /// The longest that any value says, or else `ttl`.
    pub(crate) longest_ttl: Duration,
    pub(crate) absent_ttl: Duration,
    pub(crate) deadline: Duration,
    pub(crate) far_deadline: Duration,
    pub(crate) heartbeat: Duration,
    pub(crate) blind: Duration,
    /// How long a load of another node is waited for, if it is.
    pub(crate) lease: Option<Duration>,
    /// For how long what was acknowledged is sent again after a reconnect, if it is.
    pub(crate) requeue: Option<Duration>,
    pub(crate) old: Old,
}

/// What is done with what is past its time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Old {
    pub(crate) stale: Option<Duration>,
    pub(crate) max_age: Option<Duration>,
    pub(crate) soft: Option<Duration>,
    pub(crate) throttle: Duration,
    pub(crate) refresh: Option<Refresh>,
    pub(crate) jitter: f64,
    pub(crate) error_ttl: Option<Duration>,
    /// How long near entries live unused.
    pub(crate) idle: Option<Duration>,
}

impl Setup {
    /// Within what time after its acknowledgement every node obeys a change.
    pub(crate) fn bound(&self) -> Duration {
        (self.heartbeat * 2).max(self.blind) + self.far_deadline
    }

    /// How long anything of a value may be served, once it is kept for `ttl`.
    pub(crate) fn life(&self, ttl: Duration) -> Duration {
        let life = ttl + self.old.stale.unwrap_or_default();
        self.old.max_age.map_or(life, |age| life.min(age))
    }

    /// How long anything may be served, once it is kept.
    pub(crate) fn longest_life(&self) -> Duration {
        self.life(self.longest_ttl)
    }

    /// How long what a failover has lost may be served: until it was sent again, or else for a load and
    /// the life of an entry.
    pub(crate) fn forgets(&self) -> Duration {
        match self.requeue {
            Some(_) => REPEATED,
            None => self.deadline + self.longest_life() + self.far_deadline,
        }
    }

    /// How long what a call has begun may go on without it: a load, and what is stored after it.
    pub(crate) fn afterwards(&self) -> Duration {
        self.deadline + self.far_deadline * 2
    }

    /// How long what a call has begun may go on after it was answered: where something past its time
    /// may be had, a load that nobody waits for.
    pub(crate) fn leaves_behind(&self) -> Duration {
        let leaves = self.old.stale.is_some() || self.old.refresh.is_some();
        if leaves {
            self.afterwards()
        } else {
            Duration::ZERO
        }
    }

    /// Longer than any call may take that nobody pauses: a load that is joined, one that is led
    /// after it, and what the far tier takes around them.
    pub(crate) fn patience(&self) -> Duration {
        self.afterwards() * 3
    }
}

/// Many times the pause before what is queued is sent, and what sending it takes where nothing is lost.
const REPEATED: Duration = Duration::from_millis(200);

/// Which tiers the caches have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tiers {
    Near,
    Both,
    /// Both, over a store that is no bus.
    Deaf,
    Far,
}

/// What the far store is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The store in this process.
    Shelf,
    /// A model of a Redis server, reached by larder-redis.
    Redis,
    /// The same of a cluster.
    Cluster,
}

/// How often what goes wrong between a node and the store, in thousandths, and how long things take.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wire {
    /// The longest that a command takes on its way and back.
    pub(crate) delay: Duration,
    /// Commands that take so long that their callers have left.
    pub(crate) slow: u32,
    pub(crate) not_sent: u32,
    pub(crate) lost: u32,
    /// Carried out, and the answer is lost.
    pub(crate) unanswered: u32,
    /// No answer; carried out up to `lateness` later.
    pub(crate) late: u32,
    pub(crate) lateness: Duration,
    /// The longest that a message takes.
    pub(crate) message_delay: Duration,
    pub(crate) message_lost: u32,
    pub(crate) message_doubled: u32,
}

/// Who makes calls at a node, one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) node: usize,
    pub(crate) steps: Vec<Step>,
}

/// A call.
#[derive(Clone)]
pub(crate) struct Step {
    /// How long the client waits before it.
    pub(crate) pause: Duration,
    pub(crate) key: u64,
    pub(crate) verb: Verb,
    /// When the caller leaves, if it does not wait for the end.
    pub(crate) leaves: Option<Duration>,
}

/// Something that goes wrong at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) at: Duration,
    pub(crate) what: Trouble,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Trouble {
    /// Nothing of the node runs for so long.
    Pause(usize, Duration),
    /// The node is gone at once, and comes back anew after so long.
    Crash(usize, Duration),
    /// No command of the node reaches the store for so long.
    Cut(usize, Duration),
    /// No message reaches the node for so long; then it is told.
    Deafen(usize, Duration),
    /// The clock jumps ahead; what was due meanwhile happens after it.
    Jump(Duration),
    /// The far store starts anew, without its data.
    Wipe,
    /// Of Redis: a replica that is so long behind takes over.
    FailOver(Duration),
    /// Of Redis: it evicts one of its keys.
    Evict(usize),
    /// Of Redis: its memory is full for so long.
    Full(Duration),
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{:?} {:?} key {}", self.pause, self.verb, self.key)?;
        match self.leaves {
            Some(after) => write!(f, ", leaves after {after:?}"),
            None => Ok(()),
        }
    }
}
