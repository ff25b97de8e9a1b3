//! Every command and script that the adapter sends, on the model of a server and on a real one:
//! the same replies, the same messages, the same keys.

mod alike;
mod draw;
mod resp;
mod target;

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use fastrand::Rng;
use larder_core::{Clock, Moment};
use larder_redis::{Call, Reply, Request};
use larder_tests::servers::Server;

use alike::{alike, refused_in_script};
use draw::{Deed, Draw, NAMES};
use target::{Mode, Model, Real, Target};

const SEQUENCES: u64 = 10_000;

#[test]
fn the_model_answers_as_a_real_server_does() -> Result<()> {
    let Some(server) = Server::start() else {
        return Ok(());
    };
    let mut pair = Pair {
        real: Real::connect(&server.socket())?,
        model: Model::new(),
        clock: Clock::monotonic(),
        seen: Clock::monotonic().now(),
        met: BTreeMap::new(),
    };
    for seed in 0..SEQUENCES {
        let mut deeds = Vec::new();
        let end = pair.sequence(seed, &mut deeds);
        end.with_context(|| format!("sequence {seed}:\n{}", deeds.join("\n")))?;
    }
    for wanted in WANTED {
        let met = pair.met.get(*wanted).copied().unwrap_or_default();
        ensure!(met >= 10, "{wanted}: met {met} times only");
    }
    Ok(())
}

/// What has to be met often enough, or the sequences are not what they should be: the name of a
/// request and the kind of its reply.
const WANTED: &[&str] = &[
    "store 1",
    "store 0",
    "store OOM",
    "store READONLY",
    "put 1",
    "put 0",
    "put READONLY",
    "expire 0",
    "expire READONLY",
    "release 1",
    "release 0",
    "open made",
    "open there",
    "open OOM",
    "vouch array",
    "vouch nil",
    "remove 0",
    "remove READONLY",
    "number bytes",
    "look array",
    "look nothing",
    "SET OK",
    "SET nil",
    "SET OOM",
    "GET bytes",
    "GET WRONGTYPE",
    "MGET array",
    "INCR ERR",
    "PEXPIRE 1",
    "PEXPIRE 0",
    "UNLINK 2",
];

/// The name of a request and the kind of its reply.
fn kind(request: &Request, reply: &Reply) -> String {
    let name = match request.call() {
        Call::Command { name, .. } => name,
        Call::Script { script, .. } => script.name(),
    };
    let reply = match reply {
        Reply::Nil => "nil",
        Reply::Int(number) => return format!("{name} {number}"),
        Reply::Bytes(_) => "bytes",
        Reply::Array(replies) if name == "open" => match replies.first() {
            Some(Reply::Int(1)) => "made",
            _ => "there",
        },
        Reply::Array(replies) if name == "look" && replies.last() == Some(&Reply::Nil) => "nothing",
        Reply::Array(_) => "array",
        Reply::Status(word) => word,
        Reply::Error { code, text } => refused_in_script(text).unwrap_or(code),
        _ => "unknown",
    };
    format!("{name} {reply}")
}

/// A real server and the model, at the same time.
struct Pair {
    real: Real,
    model: Model,
    clock: Clock,
    /// Up to where the model has followed it.
    seen: Moment,
    /// How often which request met which kind of reply.
    met: BTreeMap<String, u64>,
}

impl Pair {
    fn sequence(&mut self, seed: u64, deeds: &mut Vec<String>) -> Result<()> {
        let mut random = Rng::with_seed(seed);
        let other = [
            Mode::Fine,
            Mode::Fine,
            Mode::Fine,
            Mode::Full,
            Mode::Full,
            Mode::ReadOnly,
        ];
        let other = other[random.usize(..other.len())];
        let mut mode = Mode::Fine;
        for _ in 0..random.usize(1..25) {
            if other != Mode::Fine && random.u32(..6) == 0 {
                mode = if mode == Mode::Fine {
                    other
                } else {
                    Mode::Fine
                };
                deeds.push(format!("{mode:?}"));
                self.set(mode)?;
            }
            let model = &self.model;
            let text = |name: &[u8]| model.text(name);
            let deed = Draw {
                random: &mut random,
                text: &text,
            }
            .deed();
            deeds.push(show(&deed));
            self.perform(deed, mode)?;
        }
        if mode != Mode::Fine {
            self.set(Mode::Fine)?;
        }
        self.compare()
    }

    fn perform(&mut self, deed: Deed, mode: Mode) -> Result<()> {
        let now = self.clock.now();
        self.model.pass(now.since(self.seen));
        self.seen = now;
        match deed {
            Deed::Run(request) => {
                self.both(&request)?;
            }
            Deed::PlantForeign(name) if mode == Mode::Fine => {
                self.real.plant_foreign(&name)?;
                self.model.plant_foreign(&name)?;
            }
            Deed::PlantForeign(_) => {}
            Deed::Scan { pattern, count } => {
                let real = scan(&mut self.real, pattern, count)?;
                let model = scan(&mut self.model, pattern, count)?;
                ensure!(real == model, "scan: {real:?}, and the model {model:?}");
            }
        }
        Ok(())
    }

    fn both(&mut self, request: &Request) -> Result<()> {
        let (real, model) = (self.real.run(request)?, self.model.run(request)?);
        ensure!(alike(&real, &model), "{real:?}, and the model {model:?}");
        *self.met.entry(kind(request, &real)).or_default() += 1;
        Ok(())
    }

    fn set(&mut self, mode: Mode) -> Result<()> {
        self.real.set(mode)?;
        self.model.set(mode)
    }

    /// Compares what is kept and what was told, and leaves both empty.
    fn compare(&mut self) -> Result<()> {
        let names = NAMES.map(Bytes::from);
        let (real, model) = (self.real.kept(&names)?, self.model.kept(&names)?);
        for ((name, real), model) in NAMES.iter().zip(real).zip(model) {
            let same = alike(&real.0, &model.0) && alike(&real.1, &model.1);
            ensure!(same, "{name}: {real:?}, and in the model {model:?}");
        }
        let (real, model) = (self.real.heard()?, self.model.heard()?);
        ensure!(real == model, "told {real:?}, and by the model {model:?}");
        self.both(&Request::command("UNLINK", names.to_vec()))
    }
}

/// All names that fit, in order.
fn scan(target: &mut impl Target, pattern: &'static str, count: usize) -> Result<Vec<Bytes>> {
    let (mut cursor, mut all) = (Bytes::from("0"), Vec::new());
    loop {
        let count = count.to_string().into();
        let args = vec![
            cursor,
            "MATCH".into(),
            pattern.into(),
            "COUNT".into(),
            count,
        ];
        let reply = target.run(&Request::command("SCAN", args))?;
        let Reply::Array(parts) = &reply else {
            anyhow::bail!("no array: {reply:?}");
        };
        let [Reply::Bytes(next), Reply::Array(names)] = &parts[..] else {
            anyhow::bail!("no cursor and names: {parts:?}");
        };
        all.extend(names.iter().filter_map(|name| match name {
            Reply::Bytes(name) => Some(name.clone()),
            _ => None,
        }));
        cursor = next.clone();
        if cursor == "0" {
            all.sort_unstable();
            all.dedup();
            return Ok(all);
        }
    }
}

/// The deed with all its bytes, so that it can be done again by hand.
fn show(deed: &Deed) -> String {
    match deed {
        Deed::Run(request) => format!("{request:?} {:?}", words(request)),
        other => format!("{other:?}"),
    }
}

fn words(request: &Request) -> Vec<&Bytes> {
    match request.call() {
        Call::Command { args, .. } => args.iter().collect(),
        Call::Script { keys, args, .. } => keys.iter().chain(args).collect(),
    }
}
