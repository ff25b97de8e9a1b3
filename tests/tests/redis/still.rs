//! A wire under which a real server keeps virtual time.

use std::sync::{Arc, Condvar, Mutex, Weak};
use std::time::Duration;

use bytes::Bytes;
use larder_core::far::FarError;
use larder_core::{BoxFuture, Clock, Moment};
use larder_redis::{Connection, Ear, Reply, Request, Settings, Wire};
use larder_tests::servers::Server;
use smol::block_on;

/// A real server for suites that move a clock by hand: all that it keeps ages by that clock, and by
/// that alone.
///
/// Between two batches every key is given an hour more than it has, so that nothing ends meanwhile;
/// in front of a batch that hour is taken again, and with it what the clock has moved. And a batch has
/// been answered only when what it published was heard.
pub(crate) struct Still {
    connection: Connection,
    clock: Clock,
    frozen: Mutex<Frozen>,
    marks: Arc<Marks>,
    ears: Mutex<Vec<Arc<Forward>>>,
}

struct Frozen {
    /// The server's time when it was frozen, if it is.
    since: Option<i64>,
    now: Moment,
}

/// When a key ends, to the millisecond; below zero, if it does not. A server before 7.0 says only how
/// long a key is kept, and its time goes on: counted from a moment that is the same before and after.
const ENDS: &str = "
    local function millis()
      local time = redis.call('TIME')
      return time[1] * 1000 + math.floor(time[2] / 1000)
    end
    local knows = type(redis.pcall('PEXPIRETIME', 'thawed')) == 'number'
    local function ends_at(key)
      if knows then
        return redis.call('PEXPIRETIME', key)
      end
      while true do
        local before, left = millis(), redis.call('PTTL', key)
        if left < 0 then
          return left
        elseif millis() == before then
          return before + left
        end
      end
    end";

/// In front of a batch: takes off every key the hour that it was given and what the clock has moved.
const THAW: &str = "
    local now = millis()
    local move = tonumber(ARGV[1])
    if ARGV[2] ~= '' then
      move = move + 3600000 - (now - tonumber(ARGV[2]))
    end
    redis.call('SET', 'thawed', now)
    redis.call('DEL', 'ends')
    for _, key in ipairs(move ~= 0 and redis.call('KEYS', '*') or {}) do
      local ends = ends_at(key)
      if ends >= 0 then
        redis.call('PEXPIREAT', key, ends - move)
        local value = redis.sha1hex(tostring(redis.pcall('GET', key)))
        redis.call('HSET', 'ends', key, value .. string.format('%.0f', ends - move))
      end
    end
    return now";

/// Behind a batch: gives every key an hour. What the batch has left as it was has not aged by the
/// duration of the batch. With many keys it would take too long, and who has many looks at no times.
const FREEZE: &str = "
    if redis.call('DBSIZE') > 1000 then
      return false
    end
    local now = millis()
    local took = now - tonumber(redis.call('GET', 'thawed'))
    for _, key in ipairs(redis.call('KEYS', '*')) do
      local ends = ends_at(key)
      if ends >= 0 then
        local value = redis.sha1hex(tostring(redis.pcall('GET', key)))
        local known = redis.call('HGET', 'ends', key) or ''
        local same = string.sub(known, 1, 40) == value
        if same and tonumber(string.sub(known, 41)) == ends then
          ends = ends + took
        end
        redis.call('PEXPIREAT', key, ends + 3600000)
      end
    end
    return now";

const MARKS: &str = "marks";

impl Still {
    /// The server, emptied, under this clock.
    pub(crate) fn new(server: &Server, clock: Clock) -> Arc<Self> {
        let runtime = Arc::new(larder::Smol::global());
        // What keeps the server's time takes long where there are many keys.
        let settings = Settings::parse(&server.socket_url()).unwrap();
        let settings = settings.patience(Duration::from_secs(60));
        let connection = block_on(Connection::connect(settings, runtime));
        let connection = connection.expect("a server that was just started");
        let now = clock.now();
        let frozen = Mutex::new(Frozen { since: None, now });
        let still = Arc::new(Self {
            connection,
            clock,
            frozen,
            marks: Arc::default(),
            ears: Mutex::default(),
        });
        still.ask(vec![bare("FLUSHALL")]).unwrap();
        let marks: Weak<Marks> = Arc::downgrade(&still.marks);
        still.join(MARKS.into(), marks);
        still
    }

    fn ask(&self, batch: Vec<Request>) -> Result<Vec<Reply>, FarError> {
        block_on(self.connection.send(batch))
    }

    fn send_still(&self, batch: Vec<Request>) -> Result<Vec<Reply>, FarError> {
        let mut frozen = self.frozen.lock().unwrap();
        let now = self.clock.now();
        let moved = now.since(frozen.now);
        let since = frozen.since.map(|since| since.to_string());
        let mut all = vec![eval(THAW, &[millis(moved), since.unwrap_or_default()])];
        all.extend(batch);
        all.push(eval(FREEZE, &[]));
        let mut replies = self.ask(all)?;
        frozen.now = now;
        frozen.since = match replies.pop() {
            Some(Reply::Int(since)) => Some(since),
            Some(Reply::Nil) => None,
            other => panic!("{other:?}"),
        };
        assert!(matches!(replies.remove(0), Reply::Int(_)));
        self.hear_all();
        Ok(replies)
    }

    /// Waits until all that was published has been heard: what is published last comes last.
    fn hear_all(&self) {
        // Its own ear is one.
        if self.ears.lock().unwrap().len() == 1 {
            return;
        }
        let next = self.marks.next();
        let args = vec![MARKS.into(), next.to_string().into()];
        self.ask(vec![Request::command("PUBLISH", args)]).unwrap();
        self.marks.wait(next);
    }

    fn join(&self, channel: Bytes, ear: Weak<dyn Ear>) {
        let forward = Arc::new(Forward {
            ear,
            ready: Marks::default(),
        });
        let weak: Weak<Forward> = Arc::downgrade(&forward);
        self.connection.subscribe(channel, weak);
        forward.ready.wait(1);
        self.ears.lock().unwrap().push(forward);
    }
}

impl Wire for Still {
    fn send(&self, batch: Vec<Request>) -> BoxFuture<'_, Result<Vec<Reply>, FarError>> {
        Box::pin(async move { self.send_still(batch) })
    }

    fn is_cluster(&self) -> bool {
        false
    }

    fn masters(&self) -> BoxFuture<'_, Result<usize, FarError>> {
        self.connection.masters()
    }

    fn subscribe(&self, channel: Bytes, ear: Weak<dyn Ear>) {
        self.join(channel, ear);
    }
}

fn bare(name: &'static str) -> Request {
    Request::on_master(0, name, Vec::new())
}

fn eval(script: &str, args: &[String]) -> Request {
    let head = [Bytes::from(format!("{ENDS}\n{script}")), "0".into()];
    let args = args.iter().map(|arg| Bytes::from(arg.clone()));
    Request::on_master(0, "EVAL", head.into_iter().chain(args).collect())
}

fn millis(duration: Duration) -> String {
    duration.as_millis().to_string()
}

/// Hands on what it hears, and tells when the subscription stands.
struct Forward {
    ear: Weak<dyn Ear>,
    ready: Marks,
}

impl Ear for Forward {
    fn message(&self, payload: Bytes) {
        if let Some(ear) = self.ear.upgrade() {
            ear.message(payload);
        }
    }

    fn lost(&self) {
        if let Some(ear) = self.ear.upgrade() {
            ear.lost();
        }
    }

    fn ready(&self) {
        if let Some(ear) = self.ear.upgrade() {
            ear.ready();
        }
        self.ready.reach(1);
    }
}

/// A count that can be waited for.
#[derive(Default)]
struct Marks {
    state: Mutex<(u64, u64)>,
    reached: Condvar,
}

impl Marks {
    fn next(&self) -> u64 {
        let mut state = self.state.lock().unwrap();
        state.0 += 1;
        state.0
    }

    fn reach(&self, mark: u64) {
        let mut state = self.state.lock().unwrap();
        state.1 = state.1.max(mark);
        self.reached.notify_all();
    }

    fn wait(&self, mark: u64) {
        let state = self.state.lock().unwrap();
        let late = Duration::from_secs(30);
        let wait = self
            .reached
            .wait_timeout_while(state, late, |state| state.1 < mark);
        assert!(!wait.unwrap().1.timed_out(), "nothing was heard for long");
    }
}

impl Ear for Marks {
    fn message(&self, payload: Bytes) {
        let mark = std::str::from_utf8(&payload).unwrap().parse().unwrap();
        self.reach(mark);
    }

    fn lost(&self) {
        panic!("the subscription of a test broke");
    }

    fn ready(&self) {}
}
