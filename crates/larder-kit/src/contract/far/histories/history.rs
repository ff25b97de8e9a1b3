//! One history, and what is known of it.

use std::time::Duration;

use larder_core::far::{FarFound, Put, Space, Stored};

use super::event::{Blow, Running, Value, What};
use crate::contract::Verdict;
use crate::contract::far::rig::{BARRIER, LOAD, Rig, SECOND, part, space};

/// One history, and what is known of it.
pub(super) struct History<'a> {
    rig: &'a Rig,
    random: fastrand::Rng,
    seed: u64,
    lossy: bool,
    moment: usize,
    now: Duration,
    /// The last moment at which time passed.
    passed: usize,
    running: Vec<Running>,
    values: Vec<Value>,
    blows: Vec<Blow>,
}

const TAGS: [&str; 3] = ["a", "b", "c"];
const KEYS: [&str; 3] = ["1", "2", "3"];

impl<'a> History<'a> {
    pub(super) fn new(rig: &'a Rig, seed: u64, lossy: bool) -> Self {
        Self {
            rig,
            random: fastrand::Rng::with_seed(seed),
            seed,
            lossy,
            moment: 0,
            now: Duration::ZERO,
            passed: 0,
            running: Vec::new(),
            values: Vec::new(),
            blows: Vec::new(),
        }
    }

    /// Lets one thing happen, and checks what is seen of it.
    pub(super) fn step(&mut self) -> Verdict {
        self.moment += 1;
        let (cache, key) = (self.random.usize(..2), self.random.usize(..KEYS.len()));
        let place = self.place(cache);
        match self.random.u8(..100) {
            0..30 => self.load(&place, cache, key),
            30..45 => {
                let found = self.rig.look(&place, KEYS[key])?.found;
                self.check(cache, key, place.schema(), found)
            }
            45..75 => self.store(),
            75..80 => self.put(),
            80..85 => {
                self.blow(cache, What::Key(key));
                self.rig.invalidate(&place, KEYS[key])
            }
            85..89 => {
                self.blow(cache, What::Expired(key));
                self.rig.expire(&place, KEYS[key])
            }
            89..93 => {
                let tag = TAGS[self.random.usize(..TAGS.len())];
                self.blow(cache, What::Tag(tag));
                self.rig.drop_tag(&place, tag)
            }
            93..95 => {
                self.blow(cache, What::All);
                self.rig.clear(&place)
            }
            95..97 => self.release(),
            _ => self.pass(),
        }
    }

    fn load(&mut self, place: &Space, cache: usize, key: usize) -> Verdict {
        let known = self.tags();
        let read = self.rig.load(place, KEYS[key], &known)?;
        let ticket = read.ticket.ok_or("a load got no ticket")?;
        let began = self.moment;
        if self.running.len() == 8 {
            self.running.swap_remove(self.random.usize(..8));
        }
        self.running.push(Running {
            cache,
            key,
            ticket,
            began,
        });
        self.check(cache, key, place.schema(), read.found)
    }

    /// A load ends, in whatever shape; it stays, to end again later.
    fn store(&mut self) -> Verdict {
        let Some((run, place, value)) = self.end() else {
            return Ok(());
        };
        let bytes = self.name(self.values.len() - 1);
        let part = part(&bytes, &value.tags, value.ends - self.now);
        let stored = self.rig.store(&place, KEYS[run.key], &run.ticket, part)?;
        match stored {
            Stored::Stored => self.is_kept(&place, &value, &bytes),
            Stored::Refused if self.is_undisturbed(&run) => Err(refused(&value)),
            Stored::Refused => Ok(()),
        }
    }

    /// A write ends. Whatever comes of it, older values are old.
    fn put(&mut self) -> Verdict {
        let Some((run, place, value)) = self.end() else {
            return Ok(());
        };
        let bytes = self.name(self.values.len() - 1);
        let old = self
            .blows
            .iter()
            .any(|blow| blow.kills(&value) || blow.expires(&value));
        let undisturbed = self.is_undisturbed(&run);
        self.blow(run.cache, What::Key(run.key));
        let part = part(&bytes, &value.tags, value.ends - self.now);
        let put = self.rig.put(&place, KEYS[run.key], &run.ticket, part)?;
        match put {
            Put::Stored if old => Err(format!("a put stored {value:?}, which was old")),
            Put::Stored => {
                // What it wrote is as new as the put itself.
                let last = self.values.last_mut().ok_or("no value")?;
                last.born = self.moment;
                self.is_kept(&place, &value, &bytes)
            }
            Put::Deleted if undisturbed => Err(refused(&value)),
            Put::Deleted => Ok(()),
        }
    }

    fn release(&mut self) -> Verdict {
        let Some(run) = self.any_running() else {
            return Ok(());
        };
        self.blow(run.cache, What::Released);
        let place = self.place(run.cache);
        self.rig.release(&place, KEYS[run.key], &run.ticket)
    }

    fn pass(&mut self) -> Verdict {
        let time = match self.random.u8(..10) {
            0 => BARRIER + SECOND,
            1 | 2 => LOAD + SECOND,
            _ => SECOND * self.random.u32(1..10),
        };
        self.now += time;
        self.passed = self.moment;
        self.rig.pass(time);
        Ok(())
    }

    /// The end of a load that runs: the value that it gives, noted as offered.
    fn end(&mut self) -> Option<(Running, Space, Value)> {
        let run = self.any_running()?;
        let place = self.place(run.cache);
        let value = Value {
            cache: run.cache,
            key: run.key,
            schema: place.schema(),
            tags: self.tags(),
            born: run.began,
            ends: self.now + SECOND * self.random.u32(2..90),
        };
        self.values.push(value.clone());
        Some((run, place, value))
    }

    /// Whether nothing can have happened since that could refuse it.
    fn is_undisturbed(&self, run: &Running) -> bool {
        let mut blows = self.blows.iter();
        !self.lossy
            && self.passed < run.began
            && !blows.any(|blow| blow.cache == run.cache && blow.moment > run.began)
    }

    fn is_kept(&self, place: &Space, value: &Value, bytes: &str) -> Verdict {
        let found = self.rig.look(place, KEYS[value.key])?.found;
        let kept = found.as_ref().is_some_and(|found| found.bytes == bytes);
        if !kept && !self.lossy {
            return Err(format!("{value:?} was stored and not found"));
        }
        self.check(value.cache, value.key, value.schema, found)
    }

    /// What was found is whole, of this key and shape, in its time, and not invalidated since.
    fn check(&self, cache: usize, key: usize, schema: u64, found: Option<FarFound>) -> Verdict {
        let Some(found) = found else {
            return Ok(());
        };
        let name = String::from_utf8_lossy(&found.bytes).into_owned();
        let number = name.strip_prefix(&format!("{}:", self.seed));
        let number = number.and_then(|number| number.parse::<usize>().ok());
        let value = number.and_then(|number| self.values.get(number));
        let value = value.ok_or_else(|| format!("{name:?} was never stored in this history"))?;
        if (value.cache, value.key, value.schema) != (cache, key, schema) {
            return Err(format!(
                "{value:?} was found for key {key} and schema {schema} of {cache}"
            ));
        }
        if value.ends <= self.now || found.left > value.ends - self.now {
            return Err(format!(
                "{value:?} has {:?} left at {:?}",
                found.left, self.now
            ));
        }
        if let Some(blow) = self.blows.iter().find(|blow| blow.kills(value)) {
            return Err(format!("{value:?} was found after {blow:?}"));
        }
        if found.expired != self.blows.iter().any(|blow| blow.expires(value)) {
            return Err(format!(
                "{value:?} was found with expired: {}",
                found.expired
            ));
        }
        Ok(())
    }

    fn any_running(&mut self) -> Option<Running> {
        let at = self.random.usize(..self.running.len().max(1));
        self.running.get(at).cloned()
    }

    fn blow(&mut self, cache: usize, what: What) {
        let moment = self.moment;
        self.blows.push(Blow {
            cache,
            moment,
            what,
        });
    }

    /// A cache of this history's own, in one of three shapes.
    fn place(&mut self, cache: usize) -> Space {
        let name = format!("{}:{cache}", self.seed);
        space(&name, self.random.u64(1..=3))
    }

    fn name(&self, number: usize) -> String {
        format!("{}:{number}", self.seed)
    }

    fn tags(&mut self) -> Vec<&'static str> {
        let random = &mut self.random;
        TAGS.into_iter().filter(|_| random.u8(..3) == 0).collect()
    }
}

fn refused(value: &Value) -> String {
    format!("{value:?} was refused though nothing had happened")
}
