//! What stops the time of keys, and lets it go on.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use larder_redis::{Call, Request};

/// Which keys there are of those that are named, at which time of the clock that is moved by hand, and
/// what is known of those that stand still: the time at which they were stopped, how long they still
/// had, and once they go on when they end and what they hold. A node of a cluster has only names of
/// its own slots.
///
/// A server before 7.0 says only how long a key is kept, and its time goes on: counted from a moment
/// that is the same before and after.
const COMMON: &str = "
    local now = tonumber(ARGV[1])
    local function is_here(name)
      return type(redis.pcall('EXISTS', name)) == 'number'
    end
    local number = 0
    while not is_here('still' .. number) do
      number = number + 1
    end
    local records = 'still' .. number
    local function millis()
      local time = redis.call('TIME')
      return time[1] * 1000 + math.floor(time[2] / 1000)
    end
    local knows = type(redis.pcall('PEXPIRETIME', records)) == 'number'
    local function ends_at(name)
      if knows then
        return redis.call('PEXPIRETIME', name)
      end
      while true do
        local before, left = millis(), redis.call('PTTL', name)
        if left < 0 then
          return left
        elseif millis() == before then
          return before + left
        end
      end
    end
    local function what_is(name, ends)
      local value = redis.sha1hex(tostring(redis.pcall('GET', name)))
      return string.format('%.0f %s', ends, value)
    end
    local function left_of(record)
      local at, left = string.match(record, '^(%d+) (%d+)')
      return left - (now - at)
    end";

/// In front of a batch: what it names has the time that it had, less what the clock has moved. If it
/// looks at all there is, what has ended by that clock is gone.
const THAW: &str = "
    local function is_gone(name, left)
      if left <= 0 then
        redis.call('UNLINK', name)
        redis.call('HDEL', records, name)
      end
      return left <= 0
    end
    if ARGV[2] == 'all' then
      local all = redis.call('HGETALL', records)
      for at = 1, #all, 2 do
        is_gone(all[at], left_of(all[at + 1]))
      end
    end
    for at = 3, #ARGV do
      local name = ARGV[at]
      local record = is_here(name) and redis.call('HGET', records, name)
      local left = record and left_of(record)
      if left and not is_gone(name, left) then
        local ends = millis() + left
        redis.call('PEXPIREAT', name, ends)
        local stopped = string.format('%.0f %.0f ', now, left)
        redis.call('HSET', records, name, stopped .. what_is(name, ends))
      end
    end
    return 1";

/// Behind a batch: what it named stands still. What it has left as it was has not aged meanwhile.
const FREEZE: &str = "
    for at = 3, #ARGV do
      local name = ARGV[at]
      local ends = is_here(name) and ends_at(name) or -1
      if ends >= 0 then
        local record = redis.call('HGET', records, name) or ''
        if string.match(record, '^%d+ %d+ (.*)') ~= what_is(name, ends) then
          local left = string.format('%.0f %.0f', now, math.max(ends - millis(), 0))
          redis.call('HSET', records, name, left)
        end
        redis.call('PERSIST', name)
      elseif is_here(name) then
        redis.call('HDEL', records, name)
      end
    end
    return 1";

/// The scripts around a batch at a time, and what both are told.
pub(super) struct Around(Vec<Bytes>);

impl Around {
    pub(super) fn new(batch: &[Request], now: Duration) -> Self {
        let all = batch.iter().any(looks_at_all);
        let all = if all { "all" } else { "" };
        let mut told = vec![now.as_millis().to_string().into(), all.into()];
        let named: BTreeSet<_> = batch.iter().flat_map(names).cloned().collect();
        told.extend(named);
        Self(told)
    }

    /// Lets time go on at a master.
    pub(super) fn thaw(&self, master: usize) -> Request {
        self.eval(master, THAW)
    }

    /// Stops it again.
    pub(super) fn freeze(&self, master: usize) -> Request {
        self.eval(master, FREEZE)
    }

    fn eval(&self, master: usize, script: &str) -> Request {
        let head = [Bytes::from(format!("{COMMON}\n{script}")), "0".into()];
        let args = head.into_iter().chain(self.0.iter().cloned());
        Request::on_master(master, "EVAL", args.collect())
    }
}

fn looks_at_all(request: &Request) -> bool {
    matches!(request.call(), Call::Command { name, .. } if *name == "SCAN")
}

/// All that may be names of keys: in a command, each of its words.
fn names(request: &Request) -> &[Bytes] {
    match request.call() {
        Call::Command { args, .. } => args,
        Call::Script { keys, .. } => keys,
    }
}
