//! Random requests that often meet what is there.

use bytes::Bytes;
use fastrand::Rng;
use larder_core::Ttl;
use larder_core::container::{Barrier, Container, Part, Token};
use larder_redis::{Request, scripts};

use crate::target::CHANNEL;

/// All keys there are.
pub(crate) const NAMES: [&str; 8] = ["e0", "e1", "e2", "clear", "t0", "t1", "any", "n"];

const ENTRIES: [&str; 3] = ["e0", "e1", "e2"];

/// What a sequence does next.
#[derive(Debug)]
pub(crate) enum Deed {
    Run(Request),
    /// Another program puts a value of another type there.
    PlantForeign(Bytes),
    Scan {
        pattern: &'static str,
        count: usize,
    },
}

/// Draws deeds; `text` tells what is there.
pub(crate) struct Draw<'a> {
    pub(crate) random: &'a mut Rng,
    pub(crate) text: &'a dyn Fn(&[u8]) -> Option<Bytes>,
}

impl Draw<'_> {
    pub(crate) fn deed(&mut self) -> Deed {
        Deed::Run(match self.random.u32(..100) {
            0..18 => self.store(),
            18..28 => self.put(),
            28..36 => self.expire(),
            36..42 => self.release(),
            42..54 => self.open(),
            54..58 => Request::script(&scripts::LOOK, vec![self.entry()], vec![]),
            58..66 => self.vouch(),
            66..73 => self.remove(),
            73..79 => self.number(),
            79..81 => return Deed::PlantForeign(self.name()),
            81..82 => return self.scan(),
            82..88 => self.garbage(),
            _ => self.command(),
        })
    }

    fn store(&mut self) -> Request {
        let entry = self.entry();
        let (barriers, asked) = self.barriers(true);
        let listed = barriers.len().saturating_sub(1);
        let args = vec![
            self.token_of(&entry),
            self.life(),
            self.barrier_life(),
            CHANNEL.into(),
            "wake".into(),
            self.part(listed),
        ];
        let keys = [&[entry], &barriers[..]].concat();
        Request::script(&scripts::STORE, keys, [args, asked].concat())
    }

    fn put(&mut self) -> Request {
        let entry = self.entry();
        let (mut barriers, mut asked) = self.barriers(true);
        let mut number = vec!["n".into()];
        if self.random.u32(..4) == 0 {
            // As on a cluster: the entry alone.
            (number, barriers, asked) = (vec![], vec![], vec![]);
        }
        let listed = barriers.len().saturating_sub(1);
        let args = vec![
            self.token_of(&entry),
            self.token(),
            self.life(),
            self.barrier_life(),
            self.part(listed),
            self.fresh(),
            CHANNEL.into(),
            "put ".into(),
        ];
        let keys = [vec![entry], number, barriers].concat();
        Request::script(&scripts::PUT, keys, [args, asked].concat())
    }

    fn expire(&mut self) -> Request {
        let count = self.random.usize(1..3);
        let mut keys: Vec<_> = (0..count).map(|_| self.entry()).collect();
        let mut args: Vec<Bytes> = vec![count.to_string().into()];
        args.extend((0..count).map(|_| self.token()));
        if self.random.bool() {
            keys.push("n".into());
            args.extend([self.barrier_life(), self.fresh(), CHANNEL.into()]);
            args.extend((0..count).map(|_| Bytes::from("expired ")));
        }
        Request::script(&scripts::EXPIRE, keys, args)
    }

    fn release(&mut self) -> Request {
        let entry = self.entry();
        let args = vec![self.token_of(&entry), CHANNEL.into(), "wake".into()];
        Request::script(&scripts::RELEASE, vec![entry], args)
    }

    fn open(&mut self) -> Request {
        let entry = self.entry();
        let text = (self.text)(&entry).unwrap_or_default();
        let head = match self.random.u32(..3) {
            0 => Bytes::new(),
            // Behind these lies a time, in which the two differ.
            1 => text.slice(..text.len().min(self.random.usize(1..=26))),
            _ => self.token(),
        };
        let args = vec![head, self.token(), self.barrier_life()];
        Request::script(&scripts::OPEN, vec![entry], args)
    }

    fn vouch(&mut self) -> Request {
        let (keys, asked) = self.barriers(false);
        let args = [vec![self.barrier_life()], asked].concat();
        Request::script(&scripts::VOUCH, keys, args)
    }

    fn remove(&mut self) -> Request {
        let mut keys: Vec<Bytes> = vec!["n".into()];
        keys.extend((0..self.random.usize(..3)).map(|_| self.name()));
        let mut args = vec![self.barrier_life(), self.fresh(), CHANNEL.into()];
        args.extend((0..self.random.usize(..3)).map(|_| Bytes::from("gone ")));
        Request::script(&scripts::REMOVE, keys, args)
    }

    fn number(&mut self) -> Request {
        let keys = vec!["n".into(), "clear".into(), "any".into()];
        let args = vec![self.barrier_life(), self.fresh()];
        Request::script(&scripts::NUMBER, keys, args)
    }

    fn command(&mut self) -> Request {
        let name = self.name();
        match self.random.u32(..9) {
            0 => Request::command("GET", vec![name]),
            1 => Request::command("PTTL", vec![name]),
            2 => Request::command("MGET", vec![name, self.name(), self.name()]),
            3 => Request::command("UNLINK", vec![name, self.name()]),
            4 => Request::command("INCR", vec![name]),
            5 => Request::command("EXISTS", vec![name, self.name()]),
            6 => Request::command("PEXPIRE", vec![name, self.barrier_life()]),
            7 => Request::command("PEXPIRE", vec![name, self.one(&["0", "-5", "x"]).into()]),
            _ => {
                let options = ["NX", "no"].map(Bytes::from);
                let mut args = vec![name, self.token()];
                args.extend(options.into_iter().filter(|_| self.random.u32(..3) == 0));
                if self.random.bool() {
                    args.extend(["PX".into(), self.life()]);
                }
                Request::command("SET", args)
            }
        }
    }

    /// What is no container, token or number, or nearly one.
    fn garbage(&mut self) -> Request {
        let name = self.name();
        let part = self.part(self.random.clone().usize(..3));
        let mut bytes = [&self.token()[..], &part, &self.part(0), &self.part(1)].concat();
        let length = bytes.len();
        match self.random.u32(..4) {
            0 => bytes.truncate(self.random.usize(..length)),
            1 => bytes[self.random.usize(..length)] ^= 1 << self.random.u32(..8),
            2 => {
                let numbers = [
                    "7",
                    "0",
                    "-5",
                    "007",
                    "",
                    "9223372036854775807",
                    "99999999999999999999",
                ];
                bytes = self.one(&numbers).into();
            }
            _ => {}
        }
        Request::command(
            "SET",
            vec![name, bytes.into(), "PX".into(), self.barrier_life()],
        )
    }

    fn scan(&mut self) -> Deed {
        let pattern = self.one(&["*", "e*", "e?", "t[0]", "\\e0", "[^e]*"]);
        let count = self.random.usize(1..12);
        Deed::Scan { pattern, count }
    }

    /// Barriers, the first always `clear` and the last `any`, and what is asked of each. If a part
    /// will list all but the last of them, each of those must have a token.
    fn barriers(&mut self, or_none: bool) -> (Vec<Bytes>, Vec<Bytes>) {
        if or_none && self.random.u32(..5) == 0 {
            return (vec![], vec![]);
        }
        let mut names: Vec<Bytes> = vec!["clear".into()];
        let tags = ["t0", "t1"].into_iter().filter(|_| self.random.bool());
        names.extend(tags.map(Bytes::from));
        names.push("any".into());
        let last = names.len() - 1;
        let asked = (0..).zip(&names).map(|(at, name)| {
            let modes: &[&str] = if at == last {
                &["=", "+", "."]
            } else {
                &["=", "=", "+"]
            };
            let mode = self.one(modes);
            [mode.as_bytes(), &self.token_of(name)].concat().into()
        });
        let asked = asked.collect();
        (names, asked)
    }

    /// A part that lists so many barriers.
    fn part(&mut self, listed: usize) -> Bytes {
        let barrier = |_| Barrier {
            name: self.random.u64(..),
            token: [0; 8],
        };
        let barriers: Vec<_> = (0..listed).map(barrier).collect();
        let frame: Vec<u8> = (0..self.random.usize(..20))
            .map(|_| self.random.u8(..))
            .collect();
        let part = Part::new(self.random.u64(1..4), &barriers, frame.into());
        let part = part.expect("a short list and a short frame");
        let mut container = Container::new(Token::new([0; 16]));
        container.keep(part, Ttl::MAX, std::time::Duration::ZERO);
        container.to_bytes().slice(16..)
    }

    /// The token that is there, as far as something is; else any.
    fn token_of(&mut self, name: &[u8]) -> Bytes {
        let there = (self.text)(name).filter(|text| text.len() >= 16);
        let wanted = self.random.u32(..5) > 0;
        there
            .filter(|_| wanted)
            .map_or_else(|| self.token(), |text| text.slice(..16))
    }

    /// One of a few tokens.
    fn token(&mut self) -> Bytes {
        Bytes::copy_from_slice(&[self.random.u8(b'a'..=b'd'); 16])
    }

    fn life(&mut self) -> Bytes {
        self.one(&["0", "1000000", "1000000", "2000000", "5000000"])
            .into()
    }

    /// Never about as long as another: which of them is longer would hang on the clock.
    fn barrier_life(&mut self) -> Bytes {
        self.random.u64(500_000..9_000_000).to_string().into()
    }

    fn fresh(&mut self) -> Bytes {
        self.one(&["17", "123456789012345678", "9223372036854775806"])
            .into()
    }

    fn entry(&mut self) -> Bytes {
        self.one(&ENTRIES).into()
    }

    fn name(&mut self) -> Bytes {
        self.one(&NAMES).into()
    }

    fn one(&mut self, of: &[&'static str]) -> &'static str {
        of[self.random.usize(..of.len())]
    }
}
